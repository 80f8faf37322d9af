// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.locks;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Inserts calls of {@link HeldLocks} into the classes of the middleware, where they take and release locks and
 * monitors. A lock is named by the field that contains it, a monitor by the method that takes it.
 */
final class LockTransformer implements ClassFileTransformer {
    private static final int ASM = Opcodes.ASM9;
    private static final List<String> MEASURED =
            List.of("io/multimed/server/", "io/multimed/engine/", "io/multimed/protocol/");
    private static final String RECORDER = HeldLocks.class.getName().replace('.', '/');
    private static final String LOCK = "java/util/concurrent/locks/ReentrantLock";
    private static final String LOCK_TYPE = "L" + LOCK + ";";
    private static final String CONDITION = "java/util/concurrent/locks/Condition";

    @Override
    public byte @Nullable [] transform(
            @Nullable ClassLoader loader,
            @Nullable String name,
            @Nullable Class<?> redefined,
            @Nullable ProtectionDomain domain,
            byte[] bytes) {
        if (name == null || MEASURED.stream().noneMatch(name::startsWith)) {
            return null;
        }
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new Methods(writer, simple(name)), 0);
        return writer.toByteArray();
    }

    private static String simple(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static final class Methods extends ClassVisitor {
        private final String owner;

        Methods(ClassVisitor next, String owner) {
            super(ASM, next);
            this.owner = owner;
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            return new Instructions(next, owner + "." + name, (access & Opcodes.ACC_SYNCHRONIZED) != 0);
        }
    }

    private static final class Instructions extends MethodVisitor {
        private final String method;
        private final boolean isSynchronized;

        /** Name of the lock that was loaded last. */
        private String lock = "?";

        Instructions(MethodVisitor next, String method, boolean isSynchronized) {
            super(ASM, next);
            this.method = method;
            this.isSynchronized = isSynchronized;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (isSynchronized) {
                record("enter");
            }
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
            if (descriptor.equals(LOCK_TYPE)) {
                lock = simple(owner) + "." + name;
            }
            super.visitFieldInsn(opcode, owner, name, descriptor);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            if (owner.equals(LOCK) && (name.endsWith("ock") || name.equals("lockInterruptibly"))) {
                super.visitLdcInsn(lock);
                String with = "(" + LOCK_TYPE + descriptor.substring(1).replace(")", "Ljava/lang/String;)");
                super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, name, with, false);
            } else if (owner.equals(CONDITION) && name.startsWith("await")) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, "beforeWait", "()V", false);
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, "afterWait", "()V", false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }

        @Override
        public void visitInsn(int opcode) {
            boolean ends = (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) || opcode == Opcodes.ATHROW;
            if (opcode == Opcodes.MONITOREXIT || (isSynchronized && ends)) {
                record("leave");
            }
            super.visitInsn(opcode);
            if (opcode == Opcodes.MONITORENTER) {
                record("enter");
            }
        }

        private void record(String call) {
            super.visitLdcInsn(method);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, RECORDER, call, "(Ljava/lang/String;)V", false);
        }
    }
}
