-- SPDX-License-Identifier: Apache-2.0
-- BF16 to OFP8 E4M3, to nearest even, saturating; one value, combinational.
--
-- BUG plants a mistake:
--    1 tie_away             a tie is rounded up whether the code below it is odd or even
--    2 subnormal_distance   subnormals are shifted by one too few
--    3 special_mux          infinity gives NaN
--    4 sign_of_zero         a negative value that is rounded to zero loses its sign
--    5 overflow_too_early   overflow is tested before rounding
--    6 subnormals_flushed   results below the smallest normal one are zero
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

entity bf16_to_e4m3 is
    generic (BUG : natural := 0);
    port (x : in std_logic_vector(15 downto 0); code : out std_logic_vector(7 downto 0));
end entity;

architecture rtl of bf16_to_e4m3 is
    constant first   : natural := 121; -- the exponent of 2^-6, the smallest normal value
    constant largest : natural := 16#7E#;
    constant nan     : natural := 16#7F#;
begin
    process (all)
        variable exponent, shift   : natural range 0 to 255;
        variable kept, rest, half  : unsigned(9 downto 0);
        variable significand       : unsigned(9 downto 0); -- BF16 subnormals are far below what E4M3 can hold
        variable cut, magnitude    : natural range 0 to 2047;
        variable up                : boolean;
        variable sign              : std_logic;
    begin
        sign        := x(15);
        exponent    := to_integer(unsigned(x(14 downto 7)));
        significand := "001" & unsigned(x(6 downto 0));

        -- Four bits of the significand are kept from 2^-6 upward, one less for each binade below.
        shift := 4;
        if exponent < first then
            shift := minimum(4 + first - exponent, 10);
            if BUG = 2 then shift := shift - 1; end if;
        end if;
        kept := shift_right(significand, shift);
        rest := significand - shift_left(kept, shift);
        half := shift_left(to_unsigned(1, 10), shift - 1);
        up   := rest > half or (rest = half and (kept(0) = '1' or BUG = 1));

        -- A carry out of the fraction runs into the exponent and gives the next binade.
        cut := to_integer(kept);
        if exponent > first then cut := cut + 8 * (exponent - first); end if;
        magnitude := cut;
        if up then magnitude := cut + 1; end if;
        if BUG = 6 and exponent < first then magnitude := 0; end if;

        if exponent = 255 and (unsigned(x(6 downto 0)) /= 0 or BUG = 3) then
            magnitude := nan;
        elsif magnitude > largest and not (BUG = 5 and cut <= largest) then
            magnitude := largest;
        end if;
        if BUG = 4 and magnitude = 0 then sign := '0'; end if;
        code <= sign & std_logic_vector(to_unsigned(magnitude, 7));
    end process;
end architecture;
