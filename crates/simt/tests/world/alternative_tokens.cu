// Words for operators, digit grouping by macros, goto-free state machine.
//@ buffer s u8 8 list 97 98 32 32 99 32 100 0
//@ buffer n i32 1 zero
//@ run words <<<1, 1>>> (s, n)
//@ expect n 3
enum class state { outside, inside };
__global__ void words(const char *s, int *n)
{
    state now = state::outside;
    for (; *s not_eq '\0'; ++s) {
        bool blank = *s == ' ' or *s == '\n';
        if (not blank and now == state::outside) ++*n;
        now = blank ? state::outside : state::inside;
    }
}
int main(int argc, char *argv[]) { return argc > 1 and argv[1] not_eq nullptr; }
