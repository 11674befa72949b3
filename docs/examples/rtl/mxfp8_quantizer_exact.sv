// SPDX-License-Identifier: Apache-2.0
// The same block as mxfp8_quantizer.sv makes of BF16 by the floor rule, written as its definition and not as hardware: the exponent of
// the largest magnitude less 8, and each value as a whole number of small units, rounded once to nearest even. No registers.
module mxfp8_quantizer_exact (
    input  wire [32*16-1:0] x,
    output wire [7:0]       scale,
    output wire [32*8-1:0]  code
);
    // As integers magnitudes ascend with the values, NaN above infinity.
    reg [14:0] amax;
    integer    lane;
    always @* begin
        amax = 15'd0;
        for (lane = 0; lane < 32; lane = lane + 1)
            if (x[lane*16 +: 15] > amax) amax = x[lane*16 +: 15];
    end
    assign scale = amax > 15'h7F80 ? 8'hFF : amax == 15'h7F80 ? 8'hFE : amax[14:7] < 8'd8 ? 8'd0 : amax[14:7] - 8'd8;

    // In units of 2^-23, which are 2^-14 of the smallest element: smaller values round to zero, larger ones than 2^11 overflow.
    function automatic [7:0] element(input [15:0] value, input [7:0] divisor);
        reg signed [10:0] shift;
        reg [37:0]        units, rest, half;
        reg [5:0]         top, last;
        reg [11:0]        rounded;
        integer           place;
        shift = $signed({3'd0, value[14:7] == 0 ? 8'd1 : value[14:7]}) - $signed({3'd0, divisor}) + 11'sd16;
        units = {30'd0, value[14:7] != 0, value[6:0]};
        units = shift < 0 ? 38'd0 : shift > 29 ? units << 29 : units << shift[4:0];
        top = 6'd0;
        for (place = 0; place < 38; place = place + 1)
            if (units[place]) top = place[5:0];
        last    = top < 6'd17 ? 6'd14 : top - 6'd3;
        rest    = units & ~({38{1'b1}} << last);
        half    = 38'd1 << (last - 6'd1);
        rounded = {3'd0, last - 6'd14, 3'd0} + (units >> last);
        if (rest > half || (rest == half && rounded[0])) rounded = rounded + 12'd1;
        if (divisor == 8'hFF || value[14:0] > 15'h7F80) element = {value[15], 7'h7F};
        else if (value[14:0] == 15'h7F80 || rounded > 12'h7E) element = {value[15], 7'h7E};
        else element = {value[15], rounded[6:0]};
    endfunction

    for (genvar n = 0; n < 32; n = n + 1) begin : elements
        assign code[n*8 +: 8] = element(x[n*16 +: 16], scale);
    end
endmodule
