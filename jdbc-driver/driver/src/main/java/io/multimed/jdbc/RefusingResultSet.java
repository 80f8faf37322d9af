package io.multimed.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;

/** What this driver does not have of a result set, updating above all: each method says so. */
@SuppressWarnings("deprecation") // the interface has them
abstract class RefusingResultSet implements ResultSet {
    @Override
    public BigDecimal getBigDecimal(int first, int second) throws SQLException {
        throw Failures.unsupported("ResultSet.getBigDecimal");
    }

    @Override
    public InputStream getAsciiStream(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getAsciiStream");
    }

    @Override
    public InputStream getUnicodeStream(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getUnicodeStream");
    }

    @Override
    public BigDecimal getBigDecimal(String first, int second) throws SQLException {
        throw Failures.unsupported("ResultSet.getBigDecimal");
    }

    @Override
    public InputStream getAsciiStream(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getAsciiStream");
    }

    @Override
    public InputStream getUnicodeStream(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getUnicodeStream");
    }

    @Override
    public String getCursorName() throws SQLException {
        throw Failures.unsupported("ResultSet.getCursorName");
    }

    @Override
    public boolean rowUpdated() throws SQLException {
        throw Failures.unsupported("ResultSet.rowUpdated");
    }

    @Override
    public boolean rowInserted() throws SQLException {
        throw Failures.unsupported("ResultSet.rowInserted");
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        throw Failures.unsupported("ResultSet.rowDeleted");
    }

    @Override
    public void updateNull(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNull");
    }

    @Override
    public void updateBoolean(int first, boolean second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBoolean");
    }

    @Override
    public void updateByte(int first, byte second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateByte");
    }

    @Override
    public void updateShort(int first, short second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateShort");
    }

    @Override
    public void updateInt(int first, int second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateInt");
    }

    @Override
    public void updateLong(int first, long second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateLong");
    }

    @Override
    public void updateFloat(int first, float second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateFloat");
    }

    @Override
    public void updateDouble(int first, double second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateDouble");
    }

    @Override
    public void updateBigDecimal(int first, BigDecimal second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBigDecimal");
    }

    @Override
    public void updateString(int first, String second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateString");
    }

    @Override
    public void updateBytes(int first, byte[] second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBytes");
    }

    @Override
    public void updateDate(int first, Date second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateDate");
    }

    @Override
    public void updateTime(int first, Time second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateTime");
    }

    @Override
    public void updateTimestamp(int first, Timestamp second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateTimestamp");
    }

    @Override
    public void updateAsciiStream(int first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(int first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(int first, Reader second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateObject(int first, Object second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateObject(int first, Object second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateNull(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNull");
    }

    @Override
    public void updateBoolean(String first, boolean second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBoolean");
    }

    @Override
    public void updateByte(String first, byte second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateByte");
    }

    @Override
    public void updateShort(String first, short second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateShort");
    }

    @Override
    public void updateInt(String first, int second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateInt");
    }

    @Override
    public void updateLong(String first, long second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateLong");
    }

    @Override
    public void updateFloat(String first, float second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateFloat");
    }

    @Override
    public void updateDouble(String first, double second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateDouble");
    }

    @Override
    public void updateBigDecimal(String first, BigDecimal second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBigDecimal");
    }

    @Override
    public void updateString(String first, String second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateString");
    }

    @Override
    public void updateBytes(String first, byte[] second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBytes");
    }

    @Override
    public void updateDate(String first, Date second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateDate");
    }

    @Override
    public void updateTime(String first, Time second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateTime");
    }

    @Override
    public void updateTimestamp(String first, Timestamp second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateTimestamp");
    }

    @Override
    public void updateAsciiStream(String first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(String first, InputStream second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(String first, Reader second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateObject(String first, Object second, int third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateObject(String first, Object second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void insertRow() throws SQLException {
        throw Failures.unsupported("ResultSet.insertRow");
    }

    @Override
    public void updateRow() throws SQLException {
        throw Failures.unsupported("ResultSet.updateRow");
    }

    @Override
    public void deleteRow() throws SQLException {
        throw Failures.unsupported("ResultSet.deleteRow");
    }

    @Override
    public void refreshRow() throws SQLException {
        throw Failures.unsupported("ResultSet.refreshRow");
    }

    @Override
    public void cancelRowUpdates() throws SQLException {
        throw Failures.unsupported("ResultSet.cancelRowUpdates");
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        throw Failures.unsupported("ResultSet.moveToInsertRow");
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        throw Failures.unsupported("ResultSet.moveToCurrentRow");
    }

    @Override
    public Ref getRef(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getRef");
    }

    @Override
    public Blob getBlob(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getBlob");
    }

    @Override
    public Clob getClob(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getClob");
    }

    @Override
    public Ref getRef(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getRef");
    }

    @Override
    public Blob getBlob(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getBlob");
    }

    @Override
    public Clob getClob(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getClob");
    }

    @Override
    public URL getURL(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getURL");
    }

    @Override
    public URL getURL(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getURL");
    }

    @Override
    public void updateRef(int first, Ref second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateRef");
    }

    @Override
    public void updateRef(String first, Ref second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateRef");
    }

    @Override
    public void updateBlob(int first, Blob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateBlob(String first, Blob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateClob(int first, Clob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateClob(String first, Clob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateArray(int first, Array second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateArray");
    }

    @Override
    public void updateArray(String first, Array second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateArray");
    }

    @Override
    public RowId getRowId(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getRowId");
    }

    @Override
    public RowId getRowId(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getRowId");
    }

    @Override
    public void updateRowId(int first, RowId second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateRowId");
    }

    @Override
    public void updateRowId(String first, RowId second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateRowId");
    }

    @Override
    public void updateNString(int first, String second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNString");
    }

    @Override
    public void updateNString(String first, String second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNString");
    }

    @Override
    public void updateNClob(int first, NClob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public void updateNClob(String first, NClob second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public NClob getNClob(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNClob");
    }

    @Override
    public NClob getNClob(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNClob");
    }

    @Override
    public SQLXML getSQLXML(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getSQLXML");
    }

    @Override
    public SQLXML getSQLXML(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getSQLXML");
    }

    @Override
    public void updateSQLXML(int first, SQLXML second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateSQLXML");
    }

    @Override
    public void updateSQLXML(String first, SQLXML second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateSQLXML");
    }

    @Override
    public String getNString(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNString");
    }

    @Override
    public String getNString(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNString");
    }

    @Override
    public Reader getNCharacterStream(int first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNCharacterStream");
    }

    @Override
    public Reader getNCharacterStream(String first) throws SQLException {
        throw Failures.unsupported("ResultSet.getNCharacterStream");
    }

    @Override
    public void updateNCharacterStream(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNCharacterStream");
    }

    @Override
    public void updateNCharacterStream(String first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNCharacterStream");
    }

    @Override
    public void updateAsciiStream(int first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(int first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateAsciiStream(String first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(String first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(String first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateBlob(int first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateBlob(String first, InputStream second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateClob(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateClob(String first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateNClob(int first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public void updateNClob(String first, Reader second, long third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public void updateNCharacterStream(int first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNCharacterStream");
    }

    @Override
    public void updateNCharacterStream(String first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNCharacterStream");
    }

    @Override
    public void updateAsciiStream(int first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(int first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(int first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateAsciiStream(String first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateAsciiStream");
    }

    @Override
    public void updateBinaryStream(String first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBinaryStream");
    }

    @Override
    public void updateCharacterStream(String first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateCharacterStream");
    }

    @Override
    public void updateBlob(int first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateBlob(String first, InputStream second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateBlob");
    }

    @Override
    public void updateClob(int first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateClob(String first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateClob");
    }

    @Override
    public void updateNClob(int first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public void updateNClob(String first, Reader second) throws SQLException {
        throw Failures.unsupported("ResultSet.updateNClob");
    }

    @Override
    public void updateObject(int first, Object second, SQLType third, int fourth) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateObject(String first, Object second, SQLType third, int fourth) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateObject(int first, Object second, SQLType third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }

    @Override
    public void updateObject(String first, Object second, SQLType third) throws SQLException {
        throw Failures.unsupported("ResultSet.updateObject");
    }
}
