// x * gain, one clock later.
module scale (
  input wire clk,
  input wire signed [7:0] x,
  input wire signed [5:0] gain,
  output wire signed [13:0] y
);
  reg signed [13:0] product = 14'sd0;

  assign y = product;

  always @(posedge clk) begin
    product <= x * gain;
  end
endmodule

// Stores samples, reads them back four words late and weights them from a table.
module mixer (
  input wire clk,
  input wire rst,
  input wire signed [7:0] x,
  input wire run,
  output wire [13:0] y,
  output wire [2:0] flags
);
  reg [3:0] at = 4'd0;
  reg signed [7:0] late = 8'sd0;
  wire signed [7:0] now;
  reg signed [5:0] gain_late = 6'sd0;
  wire signed [13:0] larger;
  wire signed [13:0] u_a_y;
  wire signed [13:0] u_b_y;
  wire [3:0] now_part;
  wire signed [5:0] u_a_gain_part;
  wire [3:0] late_part;
  integer word;
  reg signed [7:0] store [0:15];
  initial for (word = 0; word < 16; word = word + 1) store[word] = 8'sd0;
  reg signed [5:0] gains [0:15];
  initial begin
    gains[0] = -6'sd15;
    gains[1] = -6'sd8;
    gains[2] = -6'sd1;
    gains[3] = 6'sd6;
    gains[4] = 6'sd13;
    gains[5] = -6'sd11;
    gains[6] = -6'sd4;
    gains[7] = 6'sd3;
    gains[8] = 6'sd10;
    gains[9] = -6'sd14;
    gains[10] = -6'sd7;
    gains[11] = 6'sd0;
    gains[12] = 6'sd7;
    gains[13] = 6'sd14;
    gains[14] = -6'sd10;
    gains[15] = -6'sd3;
  end

  assign now_part = at ^ 4'd3;
  assign now = store[now_part];
  assign u_a_gain_part = gains[at];

  scale u_a (
    .clk(clk),
    .x(late),
    .gain(u_a_gain_part),
    .y(u_a_y)
  );

  scale u_b (
    .clk(clk),
    .x(now),
    .gain(gain_late),
    .y(u_b_y)
  );

  assign larger = (u_a_y < u_b_y) ? u_b_y : u_a_y;
  assign y = $unsigned(larger[13] ? (-larger) : larger) >> 2;
  assign flags = {u_a_y < u_b_y, late[7], run};

  always @(posedge clk or posedge rst) begin
    if (rst) begin
      at <= 4'd0;
    end else begin
      if (run) begin
        at <= at + 4'd1;
      end
    end
  end
  assign late_part = at - 4'd4;

  always @(posedge clk) begin
    late <= store[late_part];
  end

  always @(posedge clk or posedge rst) begin
    if (rst) begin
      gain_late <= 6'sd0;
    end else begin
      gain_late <= u_a_gain_part;
    end
  end

  always @(posedge clk) begin
    if (run) begin
      store[at] <= x;
    end
  end
endmodule
