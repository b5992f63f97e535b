-- Exercise 5.11 (optional): the magnitude of exercise 5.1 by hand, with alpha = 15/16 and beta = 15/32:
-- mag_out is (30 max + 15 min) / 32 of |in_i| and |in_q|, cut off, at most 32767, four clocks later.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity mag16 is
  port (
    clk     : in  std_logic;
    in_i    : in  signed(15 downto 0);
    in_q    : in  signed(15 downto 0);
    mag_out : out signed(15 downto 0)
  );
end entity;

architecture rtl of mag16 is
  -- <lab
  begin
    mag_out <= (others => '0');
  -- lab>
end architecture;
