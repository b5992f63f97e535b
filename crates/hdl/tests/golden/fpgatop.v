// Reads 1024 words and writes back half of each, or its negative where SW0 is 1.
module fpgatop (
  input wire CLK,
  input wire RST,
  input wire START_PROC,
  input wire signed [15:0] SRC_DATA,
  input wire SW0,
  output wire signed [15:0] RESULT_DATA,
  output wire SRC_RD,
  output wire RESULT_WR,
  output wire PROC_WORKING
);
  localparam IDLE = 2'd0, RD_DAT = 2'd1, WR_DAT = 2'd2;
  reg [1:0] state = IDLE;
  reg signed [15:0] result = 16'sd0;  // word to be stored
  reg read = 1'b0;  // asks for the next source word
  reg write = 1'b0;  // stores the result word
  reg working = 1'b0;
  reg [9:0] cnt_data = 10'd0;  // words written

  assign RESULT_DATA = result;
  assign SRC_RD = read;
  assign RESULT_WR = write;
  assign PROC_WORKING = working;

  always @(posedge CLK or posedge RST) begin : fill_mem
    if (RST) begin
      state <= IDLE;
      result <= 16'sd0;
      read <= 1'b0;
      write <= 1'b0;
      working <= 1'b0;
      cnt_data <= 10'd0;
    end else begin
      case (state)
        IDLE: begin
          if (START_PROC) begin
            working <= 1'b1;
            cnt_data <= 10'd0;
            read <= 1'b1;
            state <= RD_DAT;
          end
        end
        RD_DAT: begin
          if (SW0) begin
            result <= -SRC_DATA;
          end else begin
            result <= SRC_DATA >>> 1;
          end
          read <= 1'b0;
          state <= WR_DAT;
        end
        WR_DAT: begin
          if (~write) begin
            write <= 1'b1;
          end else begin
            write <= 1'b0;
            cnt_data <= cnt_data + 10'd1;
            if (cnt_data == 10'd1023) begin
              working <= 1'b0;
              state <= IDLE;
            end else begin
              read <= 1'b1;
              state <= RD_DAT;
            end
          end
        end
      endcase
    end
  end
endmodule
