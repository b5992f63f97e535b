-- x * gain, one clock later.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity scale is
  port (
    clk : in  std_logic;
    x : in  signed(7 downto 0);
    gain : in  signed(5 downto 0);
    y : out signed(13 downto 0)
  );
end entity;

architecture rtl of scale is
  signal product : signed(13 downto 0) := (others => '0');
begin
  y <= product;

  process (clk)
  begin
    if rising_edge(clk) then
      product <= x * gain;
    end if;
  end process;
end architecture;

-- Stores samples, reads them back four words late and weights them from a table.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity mixer is
  port (
    clk : in  std_logic;
    rst : in  std_logic;
    x : in  signed(7 downto 0);
    run : in  std_logic;
    y : out unsigned(13 downto 0);
    flags : out unsigned(2 downto 0)
  );
end entity;

architecture rtl of mixer is
  type store_t is array (0 to 15) of signed(7 downto 0);
  signal store : store_t := (others => (others => '0'));
  type gains_t is array (0 to 15) of signed(5 downto 0);
  constant gains : gains_t := (
    to_signed(-15, 6), to_signed(-8, 6), to_signed(-1, 6), to_signed(6, 6),
    to_signed(13, 6), to_signed(-11, 6), to_signed(-4, 6), to_signed(3, 6),
    to_signed(10, 6), to_signed(-14, 6), to_signed(-7, 6), to_signed(0, 6),
    to_signed(7, 6), to_signed(14, 6), to_signed(-10, 6), to_signed(-3, 6));
  signal at : unsigned(3 downto 0) := (others => '0');
  signal late : signed(7 downto 0) := (others => '0');
  signal now : signed(7 downto 0);
  signal gain_late : signed(5 downto 0) := (others => '0');
  signal larger : signed(13 downto 0);
  signal u_a_y : signed(13 downto 0);
  signal u_b_y : signed(13 downto 0);
  signal u_a_gain_part : signed(5 downto 0);
  signal y_part : signed(13 downto 0);
  signal flags_part : std_logic;
begin
  now <= store(to_integer(at xor to_unsigned(3, 4)));
  u_a_gain_part <= gains(to_integer(at));

  u_a : entity work.scale
    port map (
      clk => clk,
      x => late,
      gain => u_a_gain_part,
      y => u_a_y
    );

  u_b : entity work.scale
    port map (
      clk => clk,
      x => now,
      gain => gain_late,
      y => u_b_y
    );

  larger <= u_b_y when u_a_y < u_b_y else u_a_y;
  y_part <= -larger when larger(13) = '1' else larger;
  y <= shift_right(unsigned(y_part), 2);
  flags_part <= '1' when u_a_y < u_b_y else '0';
  flags <= unsigned'(flags_part & late(7) & run);

  process (clk, rst)
  begin
    if rst = '1' then
      at <= (others => '0');
    elsif rising_edge(clk) then
      if run = '1' then
        at <= at + 1;
      end if;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      late <= store(to_integer(at - 4));
    end if;
  end process;

  process (clk, rst)
  begin
    if rst = '1' then
      gain_late <= (others => '0');
    elsif rising_edge(clk) then
      gain_late <= u_a_gain_part;
    end if;
  end process;

  process (clk)
  begin
    if rising_edge(clk) then
      if run = '1' then
        store(to_integer(at)) <= x;
      end if;
    end if;
  end process;
end architecture;
