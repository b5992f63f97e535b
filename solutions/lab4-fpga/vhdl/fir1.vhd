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
  type state_t is (IDLE, RD_DAT, WR_DAT);
  type words_t is array (1 to 8) of signed(15 downto 0);
  type products_t is array (1 to 8) of signed(31 downto 0);
  constant b : words_t := (
    x"4000", x"2000", x"1000", x"0800", x"0400", x"0200", x"0100", x"0080");
  signal state    : state_t := IDLE;
  signal rd, wr   : std_logic := '0';
  signal busy     : std_logic := '0';
  signal cnt_data : unsigned(9 downto 0) := (others => '0');
  signal x        : words_t := (others => (others => '0'));
  signal p        : products_t;
  signal s1, s2, s3, s4 : signed(32 downto 0);
  signal q1, q2   : signed(33 downto 0);
  signal total    : signed(34 downto 0);
begin
  SRC_RD <= rd;
  RESULT_WR <= wr;
  PROC_WORKING <= busy;

  taps : for i in 1 to 8 generate
    u_mult : entity work.mult16x16 port map (clk => CLK, a => x(i), b => b(i), p => p(i));
  end generate;

  s1 <= (p(1)(31) & p(1)) + (p(2)(31) & p(2));
  s2 <= (p(3)(31) & p(3)) + (p(4)(31) & p(4));
  s3 <= (p(5)(31) & p(5)) + (p(6)(31) & p(6));
  s4 <= (p(7)(31) & p(7)) + (p(8)(31) & p(8));
  q1 <= (s1(32) & s1) + (s2(32) & s2);
  q2 <= (s3(32) & s3) + (s4(32) & s4);
  total <= (q1(33) & q1) + (q2(33) & q2);
  RESULT_DATA <= total(34 downto 19);

  fill_mem : process (CLK, RST)
  begin
    if RST = '1' then
      state <= IDLE;
      rd <= '0';
      wr <= '0';
      busy <= '0';
      cnt_data <= (others => '0');
      x <= (others => (others => '0'));
    elsif rising_edge(CLK) then
      case state is
        when IDLE =>
          if START_PROC = '1' then
            busy <= '1';
            cnt_data <= (others => '0');
            rd <= '1';
            state <= RD_DAT;
          end if;
        when RD_DAT =>
          x <= SRC_DATA & x(1 to 7);
          rd <= '0';
          state <= WR_DAT;
        when WR_DAT =>
          if wr = '0' then
            wr <= '1';
          else
            wr <= '0';
            cnt_data <= cnt_data + 1;
            if cnt_data = 1023 then
              busy <= '0';
              state <= IDLE;
            else
              rd <= '1';
              state <= RD_DAT;
            end if;
          end if;
      end case;
    end if;
  end process;
  --~ begin
  --~   RESULT_DATA <= (others => '0');
  --~   SRC_RD <= '0';
  --~   RESULT_WR <= '0';
  --~   PROC_WORKING <= '0';
  -- lab>
end architecture;
