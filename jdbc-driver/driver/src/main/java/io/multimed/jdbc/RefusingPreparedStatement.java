package io.multimed.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.net.URL;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;

/** What this driver does not have of a prepared statement: each method says so. */
@SuppressWarnings("deprecation") // the interface has them
abstract class RefusingPreparedStatement extends JdbcStatement implements PreparedStatement {

    RefusingPreparedStatement(JdbcConnection connection, ResultSetKind kind) {
        super(connection, kind);
    }

    @Override
    public void setAsciiStream(int first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setAsciiStream");
    }

    @Override
    public void setUnicodeStream(int first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setUnicodeStream");
    }

    @Override
    public void setRef(int first, Ref second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setRef");
    }

    @Override
    public void setBlob(int first, Blob second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setBlob");
    }

    @Override
    public void setClob(int first, Clob second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setClob");
    }

    @Override
    public void setURL(int first, URL second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setURL");
    }

    @Override
    public void setRowId(int first, RowId second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setRowId");
    }

    @Override
    public void setNCharacterStream(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setNCharacterStream");
    }

    @Override
    public void setNClob(int first, NClob second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setNClob");
    }

    @Override
    public void setClob(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setClob");
    }

    @Override
    public void setBlob(int first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setBlob");
    }

    @Override
    public void setNClob(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setNClob");
    }

    @Override
    public void setSQLXML(int first, SQLXML second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setSQLXML");
    }

    @Override
    public void setAsciiStream(int first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setAsciiStream");
    }

    @Override
    public void setAsciiStream(int first, InputStream second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setAsciiStream");
    }

    @Override
    public void setNCharacterStream(int first, Reader second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setNCharacterStream");
    }

    @Override
    public void setClob(int first, Reader second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setClob");
    }

    @Override
    public void setBlob(int first, InputStream second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setBlob");
    }

    @Override
    public void setNClob(int first, Reader second) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setNClob");
    }

    @Override
    public void setObject(int first, Object second, SQLType third, int fourth) throws SQLException {
        throw Failures.unsupported("PreparedStatement.setObject");
    }
}
