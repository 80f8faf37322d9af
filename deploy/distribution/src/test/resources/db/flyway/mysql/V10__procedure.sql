CREATE TABLE IF NOT EXISTS audit (id int AUTO_INCREMENT PRIMARY KEY, what text, at datetime(6) DEFAULT CURRENT_TIMESTAMP(6));
DELIMITER //
CREATE PROCEDURE note(said text)
BEGIN
    IF said IS NOT NULL THEN
        INSERT INTO audit (what) VALUES (said);
    END IF;
END//
DELIMITER ;
CALL note('created');
