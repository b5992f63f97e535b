-- Reads 1024 words and writes back half of each, or its negative where SW0 is 1.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity fpgatop is
  port (
    CLK : in  std_logic;
    RST : in  std_logic;
    START_PROC : in  std_logic;
    SRC_DATA : in  signed(15 downto 0);
    SW0 : in  std_logic;
    RESULT_DATA : out signed(15 downto 0);
    SRC_RD : out std_logic;
    RESULT_WR : out std_logic;
    PROC_WORKING : out std_logic
  );
end entity;

architecture rtl of fpgatop is
  type state_t is (IDLE, RD_DAT, WR_DAT);
  signal state : state_t := IDLE;
  signal result : signed(15 downto 0) := (others => '0');  -- word to be stored
  signal read : std_logic := '0';  -- asks for the next source word
  signal write : std_logic := '0';  -- stores the result word
  signal working : std_logic := '0';
  signal cnt_data : unsigned(9 downto 0) := (others => '0');  -- words written
begin
  RESULT_DATA <= result;
  SRC_RD <= read;
  RESULT_WR <= write;
  PROC_WORKING <= working;

  fill_mem : process (CLK, RST)
  begin
    if RST = '1' then
      state <= IDLE;
      result <= (others => '0');
      read <= '0';
      write <= '0';
      working <= '0';
      cnt_data <= (others => '0');
    elsif rising_edge(CLK) then
      case state is
        when IDLE =>
          if START_PROC = '1' then
            working <= '1';
            cnt_data <= to_unsigned(0, 10);
            read <= '1';
            state <= RD_DAT;
          end if;
        when RD_DAT =>
          if SW0 = '1' then
            result <= -SRC_DATA;
          else
            result <= shift_right(SRC_DATA, 1);
          end if;
          read <= '0';
          state <= WR_DAT;
        when WR_DAT =>
          if write = '0' then
            write <= '1';
          else
            write <= '0';
            cnt_data <= cnt_data + 1;
            if cnt_data = 1023 then
              working <= '0';
              state <= IDLE;
            else
              read <= '1';
              state <= RD_DAT;
            end if;
          end if;
      end case;
    end if;
  end process;
end architecture;
