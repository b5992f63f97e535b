-- Exercise 4.7 (optional): fir1 of exercise 4.1 by hand, with the lab's constant coefficients and bits 34..19.
-- The entity mult16x16 is given: clk, a, b (16 bits), p (32 bits), signed, one clock later.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity fir1 is
  port (
    CLK          : in  std_logic;
    RST          : in  std_logic;
    START_PROC   : in  std_logic;
    SRC_DATA     : in  signed(15 downto 0);
    RESULT_DATA  : out signed(15 downto 0);
    SRC_RD       : out std_logic;
    RESULT_WR    : out std_logic;
    PROC_WORKING : out std_logic
  );
end entity;

architecture rtl of fir1 is
  -- <lab
  begin
    RESULT_DATA <= (others => '0');
    SRC_RD <= '0';
    RESULT_WR <= '0';
    PROC_WORKING <= '0';
  -- lab>
end architecture;
