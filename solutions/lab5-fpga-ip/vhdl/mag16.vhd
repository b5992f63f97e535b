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
  signal abs_i, abs_q    : unsigned(15 downto 0) := (others => '0');
  signal larger, smaller : unsigned(15 downto 0) := (others => '0');
  signal weighted        : unsigned(21 downto 0) := (others => '0');
  signal limited         : unsigned(15 downto 0) := (others => '0');

  -- |-32768| needs a bit more than a signed word has.
  function magnitude(x : signed(15 downto 0)) return unsigned is
    variable wide : signed(16 downto 0);
  begin
    wide := abs(resize(x, 17));
    return unsigned(wide(15 downto 0));
  end function;

  -- 15 x = 16 x - x.
  function fifteen(x : unsigned(15 downto 0)) return unsigned is
    variable wide : unsigned(21 downto 0);
  begin
    wide := resize(x, 22);
    return shift_left(wide, 4) - wide;
  end function;
begin
  pipeline : process (clk)
  begin
    if rising_edge(clk) then
      abs_i <= magnitude(in_i);
      abs_q <= magnitude(in_q);
      if abs_i > abs_q then
        larger  <= abs_i;
        smaller <= abs_q;
      else
        larger  <= abs_q;
        smaller <= abs_i;
      end if;
      weighted <= shift_left(fifteen(larger), 1) + fifteen(smaller);
      if weighted(21 downto 5) > 32767 then
        limited <= to_unsigned(32767, 16);
      else
        limited <= weighted(20 downto 5);
      end if;
    end if;
  end process;

  mag_out <= signed(limited);
  --~ begin
  --~   mag_out <= (others => '0');
  -- lab>
end architecture;
