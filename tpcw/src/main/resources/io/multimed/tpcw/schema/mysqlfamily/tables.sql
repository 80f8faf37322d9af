-- TPC-W 1.8, clause 1.2. AUTO_INCREMENT starts after the loaded rows. A binary collation compares texts by their
-- bytes, as the schemas of the other engines do.
CREATE TABLE country (co_id int PRIMARY KEY, co_name varchar(50) NOT NULL, co_exchange numeric(12,6) NOT NULL, co_currency varchar(18) NOT NULL) COLLATE utf8mb4_bin;
CREATE TABLE address (addr_id int AUTO_INCREMENT PRIMARY KEY, addr_street1 varchar(40) NOT NULL, addr_street2 varchar(40) NOT NULL,
    addr_city varchar(30) NOT NULL, addr_state varchar(20) NOT NULL, addr_zip varchar(10) NOT NULL, addr_co_id int NOT NULL) AUTO_INCREMENT = ${next.address} COLLATE utf8mb4_bin;
CREATE TABLE author (a_id int PRIMARY KEY, a_fname varchar(20) NOT NULL, a_lname varchar(20) NOT NULL, a_mname varchar(20) NOT NULL, a_dob date NOT NULL, a_bio varchar(500) NOT NULL)
    COLLATE utf8mb4_bin;
CREATE TABLE customer (c_id int AUTO_INCREMENT PRIMARY KEY, c_uname varchar(20) NOT NULL, c_passwd varchar(20) NOT NULL,
    c_fname varchar(17) NOT NULL, c_lname varchar(17) NOT NULL, c_addr_id int NOT NULL, c_phone varchar(18) NOT NULL, c_email varchar(50) NOT NULL,
    c_since date NOT NULL, c_last_login date NOT NULL, c_login datetime(3) NOT NULL, c_expiration datetime(3) NOT NULL, c_discount numeric(5,2) NOT NULL,
    c_balance numeric(15,2) NOT NULL, c_ytd_pmt numeric(15,2) NOT NULL, c_birthdate date NOT NULL, c_data varchar(500) NOT NULL) AUTO_INCREMENT = ${next.customer} COLLATE utf8mb4_bin;
CREATE TABLE item (i_id int PRIMARY KEY, i_title varchar(60) NOT NULL, i_a_id int NOT NULL, i_pub_date date NOT NULL, i_publisher varchar(60) NOT NULL,
    i_subject varchar(60) NOT NULL, i_desc varchar(500) NOT NULL, i_related1 int NOT NULL, i_related2 int NOT NULL, i_related3 int NOT NULL,
    i_related4 int NOT NULL, i_related5 int NOT NULL, i_thumbnail varchar(40) NOT NULL, i_image varchar(40) NOT NULL, i_srp numeric(15,2) NOT NULL,
    i_cost numeric(15,2) NOT NULL, i_avail date NOT NULL, i_stock int NOT NULL, i_isbn char(13) NOT NULL, i_page int NOT NULL,
    i_backing varchar(15) NOT NULL, i_dimensions varchar(25) NOT NULL) COLLATE utf8mb4_bin;
CREATE TABLE orders (o_id int AUTO_INCREMENT PRIMARY KEY, o_c_id int NOT NULL, o_date datetime(3) NOT NULL, o_sub_total numeric(15,2) NOT NULL,
    o_tax numeric(15,2) NOT NULL, o_total numeric(15,2) NOT NULL, o_ship_type varchar(10) NOT NULL, o_ship_date datetime(3) NOT NULL,
    o_bill_addr_id int NOT NULL, o_ship_addr_id int NOT NULL, o_status varchar(15) NOT NULL) AUTO_INCREMENT = ${next.orders} COLLATE utf8mb4_bin;
CREATE TABLE order_line (ol_id int NOT NULL, ol_o_id int NOT NULL, ol_i_id int NOT NULL, ol_qty int NOT NULL, ol_discount numeric(5,2) NOT NULL,
    ol_comments varchar(110) NOT NULL, PRIMARY KEY (ol_o_id, ol_id)) COLLATE utf8mb4_bin;
CREATE TABLE cc_xacts (cx_o_id int PRIMARY KEY, cx_type varchar(10) NOT NULL, cx_num varchar(20) NOT NULL, cx_name varchar(31) NOT NULL, cx_expire date NOT NULL,
    cx_auth_id char(15) NOT NULL, cx_xact_amt numeric(15,2) NOT NULL, cx_xact_date datetime(3) NOT NULL, cx_co_id int NOT NULL) COLLATE utf8mb4_bin;
CREATE TABLE shopping_cart (sc_id int AUTO_INCREMENT PRIMARY KEY, sc_time datetime(3) NOT NULL);
CREATE TABLE shopping_cart_line (scl_sc_id int NOT NULL, scl_i_id int NOT NULL, scl_qty int NOT NULL, PRIMARY KEY (scl_sc_id, scl_i_id));
CREATE TABLE tpcw_load (items int NOT NULL, ebs int NOT NULL, seed bigint NOT NULL, PRIMARY KEY (items));
