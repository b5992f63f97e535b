//! The example of exercise 4.0, given: a design with the ports of the board, a state machine, and
//! the simplest arithmetic.

use hdl::{Block, BuildErrors, Module, bit, signed, unsigned};

/// Reads 1024 words and writes back half of each, or its negative where the switch `SW0` is 1:
/// three clocks per word.
///
/// # Errors
/// None that could happen; it builds like any module.
pub fn fpgatop() -> Result<Block, BuildErrors> {
    let m = Module::new("fpgatop");
    m.doc("Reads 1024 words and writes back half of each, or its negative where SW0 is 1.");
    m.clock("CLK");
    m.async_reset("RST");
    let start = m.input("START_PROC", bit());
    let data = m.input("SRC_DATA", signed(16));
    let sw0 = m.input("SW0", bit());

    let state = m.states("state", &["IDLE", "RD_DAT", "WR_DAT"]);
    let result = m.reg("result", signed(16)).comment("word to be stored");
    let read = m.reg("read", bit()).comment("asks for the next source word");
    let write = m.reg("write", bit()).comment("stores the result word");
    let busy = m.reg("working", bit());
    let count = m.reg("cnt_data", unsigned(10)).comment("words written");

    m.process("fill_mem", || {
        state.case("IDLE", || {
            m.when(start, || {
                busy.set(1);
                count.set(0);
                read.set(1);
                state.go("RD_DAT");
            });
        });
        state.case("RD_DAT", || {
            m.when_else(sw0, || result.set(-data), || result.set(data >> 1));
            read.set(0);
            state.go("WR_DAT");
        });
        state.case("WR_DAT", || {
            m.when_else(
                !write.q(),
                || write.set(1),
                || {
                    write.set(0);
                    count.set(count + 1);
                    m.when_else(
                        count.q().eq(1023),
                        || {
                            busy.set(0);
                            state.go("IDLE");
                        },
                        || {
                            read.set(1);
                            state.go("RD_DAT");
                        },
                    );
                },
            );
        });
    });
    m.output("RESULT_DATA", result);
    m.output("SRC_RD", read);
    m.output("RESULT_WR", write);
    m.output("PROC_WORKING", busy);
    m.build()
}
