// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/** Reads PEM files (RFC 7468): certificates, and private keys in the format PKCS #8. */
final class PemFile {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

    /** Algorithms of private keys. The format PKCS #8 names the algorithm, but the Java API asks for it. */
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");

    private final Path file;
    private final List<Block> blocks = new ArrayList<>();

    private record Block(String label, byte[] content) {}

    private PemFile(Path file) throws IOException, GeneralSecurityException {
        this.file = file;
        Matcher matcher = BLOCK.matcher(Files.readString(file, US_ASCII));
        while (matcher.find()) {
            try {
                blocks.add(new Block(matcher.group(1), Base64.getMimeDecoder().decode(matcher.group(2))));
            } catch (IllegalArgumentException e) {
                throw new GeneralSecurityException(
                        "%s: the block %s is not valid Base64".formatted(file, matcher.group(1)), e);
            }
        }
    }

    static PemFile read(Path file) throws IOException, GeneralSecurityException {
        return new PemFile(file);
    }

    /**
     * Returns the certificates in the order of the file.
     *
     * @throws GeneralSecurityException if there is none
     */
    List<X509Certificate> certificates() throws GeneralSecurityException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks) {
            if (block.label.equals("CERTIFICATE")) {
                certificates.add(
                        (X509Certificate) factory.generateCertificate(new ByteArrayInputStream(block.content)));
            }
        }
        if (certificates.isEmpty()) {
            throw new GeneralSecurityException("%s contains no certificate (BEGIN CERTIFICATE)".formatted(file));
        }
        return certificates;
    }

    /**
     * Returns the private key.
     *
     * @param password decrypts an encrypted key; ignored if the key is not encrypted
     * @throws GeneralSecurityException if there is no key in the format PKCS #8, or if the password is wrong
     */
    PrivateKey privateKey(char[] password) throws IOException, GeneralSecurityException {
        for (Block block : blocks) {
            switch (block.label) {
                case "PRIVATE KEY" -> {
                    return key(new PKCS8EncodedKeySpec(block.content));
                }
                case "ENCRYPTED PRIVATE KEY" -> {
                    return key(decrypted(block.content, password));
                }
                case "RSA PRIVATE KEY", "EC PRIVATE KEY" ->
                    throw new GeneralSecurityException(
                            "%s: the key is not in the format PKCS #8: convert it with openssl pkcs8 -topk8 -in OLD -out NEW"
                                    .formatted(file));
                default -> {}
            }
        }
        throw new GeneralSecurityException("%s contains no private key (BEGIN PRIVATE KEY)".formatted(file));
    }

    private PKCS8EncodedKeySpec decrypted(byte[] content, char[] password)
            throws IOException, GeneralSecurityException {
        EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(content);
        String algorithm = encrypted.getAlgName().equals("PBES2")
                ? encrypted.getAlgParameters().toString() // names the whole scheme
                : encrypted.getAlgName();
        try {
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password)),
                    encrypted.getAlgParameters());
            return encrypted.getKeySpec(cipher);
        } catch (GeneralSecurityException e) {
            throw new GeneralSecurityException(
                    "%s: the private key cannot be decrypted: check its password".formatted(file), e);
        }
    }

    private PrivateKey key(PKCS8EncodedKeySpec encoded) throws GeneralSecurityException {
        GeneralSecurityException failure = new GeneralSecurityException(
                "%s: the private key is of none of the algorithms %s".formatted(file, ALGORITHMS));
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(encoded);
            } catch (InvalidKeySpecException e) {
                failure.addSuppressed(e); // the key may belong to the next algorithm
            }
        }
        throw failure;
    }
}
