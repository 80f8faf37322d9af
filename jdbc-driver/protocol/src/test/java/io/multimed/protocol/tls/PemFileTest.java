// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Private keys in PEM files. TlsTest reads certificates. */
class PemFileTest {
    private static final String SCHEME = "PBEWithHmacSHA256AndAES_256";
    private static final int OCTET_STRING = 4;
    private static final int SEQUENCE = 0x30;

    /** The object identifier of PBES2, 1.2.840.113549.1.5.13, in DER; openssl encrypts keys so by default. */
    private static final byte[] PBES2 = HexFormat.of().parseHex("06092a864886f70d01050d");

    @TempDir
    private Path folder;

    private Path file(String label, byte[] content) throws IOException {
        String text = "comment%n-----BEGIN %2$s-----%n%1$s%n-----END %2$s-----%n"
                .formatted(Base64.getMimeEncoder().encodeToString(content), label);
        return Files.writeString(folder.resolve("key.pem"), text);
    }

    private static PrivateKey generate(String algorithm) throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
    }

    private static byte[] encrypted(PrivateKey key, String password) throws GeneralSecurityException, IOException {
        SecretKey secret = SecretKeyFactory.getInstance(SCHEME).generateSecret(new PBEKeySpec(password.toCharArray()));
        Cipher cipher = Cipher.getInstance(SCHEME);
        cipher.init(Cipher.ENCRYPT_MODE, secret);
        byte[] algorithm = element(SEQUENCE, PBES2, cipher.getParameters().getEncoded());
        return element(SEQUENCE, algorithm, element(OCTET_STRING, cipher.doFinal(key.getEncoded())));
    }

    /** Returns an element in DER: the tag, the length and the content. */
    private static byte[] element(int tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            content.writeBytes(part);
        }
        ByteArrayOutputStream element = new ByteArrayOutputStream();
        element.write(tag);
        element.write(0x82); // two bytes of length follow
        element.write(content.size() >> 8);
        element.write(content.size());
        element.writeBytes(content.toByteArray());
        return element.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void readsKeysOfEachAlgorithm(String algorithm) throws Exception {
        PrivateKey key = generate(algorithm);
        Path file = file("PRIVATE KEY", key.getEncoded());
        assertThat(PemFile.read(file).privateKey(new char[0])).isEqualTo(key);
    }

    @Test
    void readsAnEncryptedKeyWithItsPasswordOnly() throws Exception {
        PrivateKey key = generate("EC");
        Path file = file("ENCRYPTED PRIVATE KEY", encrypted(key, "secret"));
        assertThat(PemFile.read(file).privateKey("secret".toCharArray())).isEqualTo(key);
        assertThatThrownBy(() -> PemFile.read(file).privateKey("wrong".toCharArray()))
                .hasMessageContaining(file + ": the private key cannot be decrypted: check its password")
                .hasMessageNotContaining("wrong");
    }

    @Test
    void saysWhatIsMissing() throws Exception {
        Path old = file("RSA PRIVATE KEY", new byte[] {1});
        assertThatThrownBy(() -> PemFile.read(old).privateKey(new char[0]))
                .hasMessageContaining("openssl pkcs8 -topk8");
        Path none = file("SOMETHING", new byte[] {1});
        assertThatThrownBy(() -> PemFile.read(none).privateKey(new char[0])).hasMessageContaining("no private key");
        assertThatThrownBy(() -> PemFile.read(none).certificates()).hasMessageContaining("no certificate");
        Path broken = file("PRIVATE KEY", new byte[] {1, 2, 3});
        assertThatThrownBy(() -> PemFile.read(broken).privateKey(new char[0]))
                .hasMessageContaining("of none of the algorithms");
    }
}
