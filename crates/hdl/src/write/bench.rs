//! Test benches that run a design in outside simulators on the same stimulus as ours.
//!
//! `stimulus.txt` has one line per clock: the bits of the reset (if there is one) and of all inputs
//! in the order of declaration, most significant first. The bench writes `response.txt` with the
//! bits of all outputs in each cycle, read just before the rising edge. [`response`] makes the same
//! lines with our simulator.

use std::fmt::Write;

use crate::error::UseError;
use crate::ir::{Block, Port};
use crate::sim::Simulator;
use crate::types::bit;

/// Name of the bench's entity or module.
pub const BENCH: &str = "bench";

/// The bits that a line of the stimulus has: reset first, then the inputs.
fn driven(top: &Block) -> Vec<Port> {
    let reset = top.reset().map(|name| Port { name: name.to_string(), ty: bit() });
    reset.into_iter().chain(top.inputs()).collect()
}

fn width(ports: &[Port]) -> u32 {
    ports.iter().map(|p| p.ty.width).sum()
}

/// One line of the stimulus per element: the values of the reset (if any) and of all inputs.
pub fn stimulus(top: &Block, cycles: &[Vec<i64>]) -> String {
    let ports = driven(top);
    let line = |values: &Vec<i64>| -> String {
        let bits = ports.iter().zip(values).map(|(p, &v)| p.ty.bits(v));
        bits.chain(["\n".to_string()]).collect()
    };
    cycles.iter().map(line).collect()
}

/// What our simulator answers to the same cycles, in the form of `response.txt`.
pub fn response(top: &Block, cycles: &[Vec<i64>]) -> Result<String, UseError> {
    let mut sim = Simulator::new(top);
    let (ports, outputs) = (driven(top), top.outputs());
    let mut text = String::new();
    for values in cycles {
        for (port, &value) in ports.iter().zip(values) {
            sim.set(&port.name, port.ty.wrap(value))?;
        }
        for output in &outputs {
            text += &output.ty.bits(sim.get(&output.name)?);
        }
        text.push('\n');
        sim.step();
    }
    Ok(text)
}

/// A Verilog bench of `cycles` clocks for the module `top`.
pub fn verilog(top: &Block, cycles: usize) -> String {
    let (inputs, outputs) = (driven(top), top.outputs());
    let (wide_in, wide_out) = (width(&inputs).max(1), width(&outputs));
    let mut map = Vec::new();
    if let Some(clock) = top.clock() {
        map.push(format!(".{clock}(tick)"));
    }
    let mut at = width(&inputs);
    for port in &inputs {
        map.push(format!(".{}(given[{}:{}])", port.name, at - 1, at - port.ty.width));
        at -= port.ty.width;
    }
    at = wide_out;
    for port in &outputs {
        map.push(format!(".{}(got[{}:{}])", port.name, at - 1, at - port.ty.width));
        at -= port.ty.width;
    }
    format!(
        "`timescale 1ns/1ns
module {BENCH};
  reg tick = 0;
  reg [{}:0] lines [0:{}];
  reg [{}:0] given;
  wire [{}:0] got;
  integer i, file;

  {} dut (
    {}
  );

  initial begin
    $readmemb(\"stimulus.txt\", lines);
    file = $fopen(\"response.txt\", \"w\");
    for (i = 0; i < {cycles}; i = i + 1) begin
      given = lines[i];
      #5 $fwrite(file, \"%b\\n\", got);
      tick = 1;
      #5 tick = 0;
    end
    $fclose(file);
    $finish;
  end
endmodule
",
        wide_in - 1,
        cycles.max(1) - 1,
        wide_in - 1,
        wide_out - 1,
        top.name(),
        map.join(",\n    "),
    )
}

/// A VHDL bench for the entity `top`; it runs to the end of the stimulus.
pub fn vhdl(top: &Block) -> String {
    let (inputs, outputs) = (driven(top), top.outputs());
    let mut signals = String::new();
    let mut map = Vec::new();
    let (mut read, mut write) = (String::new(), String::new());
    if let Some(clock) = top.clock() {
        map.push(format!("{clock} => tick"));
    }
    let mut kind = |port: &Port, prefix: &str| {
        let name = format!("{prefix}_{}", port.name);
        let (ty, start) = match (port.ty.is_bit(), port.ty.signed) {
            (true, _) => ("std_logic".to_string(), "'0'"),
            (_, true) => (format!("signed({} downto 0)", port.ty.width - 1), "(others => '0')"),
            (_, false) => (format!("unsigned({} downto 0)", port.ty.width - 1), "(others => '0')"),
        };
        _ = writeln!(signals, "  signal {name} : {ty} := {start};");
        map.push(format!("{} => {name}", port.name));
        name
    };
    let mut at = 1;
    for port in &inputs {
        let (name, w) = (kind(port, "given"), port.ty.width);
        _ = match port.ty.is_bit() {
            true => writeln!(read, "      {name} <= level(line_in({at}));"),
            false => writeln!(
                read,
                "      for i in 0 to {} loop {name}({} - i) <= level(line_in({at} + i)); end loop;",
                w - 1,
                w - 1
            ),
        };
        at += w;
    }
    for port in &outputs {
        let (name, w) = (kind(port, "got"), port.ty.width);
        _ = match port.ty.is_bit() {
            true => writeln!(write, "      write(line_out, letter({name}));"),
            false => writeln!(
                write,
                "      for i in {} downto 0 loop write(line_out, letter({name}(i))); end loop;",
                w - 1
            ),
        };
    }
    let wide = width(&inputs).max(1);
    format!(
        "library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity {BENCH} is
end entity;

architecture rtl of {BENCH} is
  signal tick : std_logic := '0';
{signals}
  function level(c : character) return std_logic is
  begin
    if c = '1' then
      return '1';
    end if;
    return '0';
  end function;

  function letter(s : std_logic) return character is
  begin
    case s is
      when '0' => return '0';
      when '1' => return '1';
      when others => return 'x';
    end case;
  end function;
begin
  dut : entity work.{}
    port map (
      {}
    );

  process
    file stimulus : text open read_mode is \"stimulus.txt\";
    file response : text open write_mode is \"response.txt\";
    variable buf, line_out : line;
    variable line_in : string(1 to {wide});
  begin
    while not endfile(stimulus) loop
      readline(stimulus, buf);
      read(buf, line_in);
{read}      wait for 5 ns;
{write}      writeline(response, line_out);
      tick <= '1';
      wait for 5 ns;
      tick <= '0';
    end loop;
    wait;
  end process;
end architecture;
",
        top.name(),
        map.join(",\n      "),
    )
}
