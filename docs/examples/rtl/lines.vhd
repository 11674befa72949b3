-- SPDX-License-Identifier: Apache-2.0
-- Answers lines: a hexadecimal input on each line of the standard input, its code on each line of the standard output.
library ieee;
use ieee.std_logic_1164.all;
use std.textio.all;

entity lines is
    generic (BUG : natural := 0);
end entity;

architecture testbench of lines is
    signal x    : std_logic_vector(15 downto 0) := (others => '0');
    signal code : std_logic_vector(7 downto 0);
begin
    dut : entity work.bf16_to_e4m3 generic map (BUG => BUG) port map (x => x, code => code);

    process
        variable text_in, text_out : line;
        variable value             : std_logic_vector(15 downto 0);
    begin
        while not endfile(input) loop
            readline(input, text_in);
            hread(text_in, value);
            x <= value;
            wait for 1 ns;
            hwrite(text_out, code);
            writeline(output, text_out);
            flush(output);
        end loop;
        wait;
    end process;
end architecture;
