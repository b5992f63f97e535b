// driver [FOLDER [NAME...]]: runs the corpus (or the named cases) and leaves launches.csv,
// outputs.csv and outputs.bin in FOLDER. FOLDER "-" saves nothing.
#include "driver.h"

int CorpusDriver::count = 0;

std::map<std::string, CorpusCase> &corpus_cases()
{
    static std::map<std::string, CorpusCase> all;
    return all;
}

int main(int argc, char **argv)
{
    FILE *launches = nullptr, *index = nullptr, *outputs = nullptr;
    if (argc > 1 && strcmp(argv[1], "-") != 0) {
        std::string folder = argv[1];
        launches = fopen((folder + "/launches.csv").c_str(), "w");
        index = fopen((folder + "/outputs.csv").c_str(), "w");
        outputs = fopen((folder + "/outputs.bin").c_str(), "wb");
        if (!launches || !index || !outputs) {
            fprintf(stderr, "cannot write to %s\n", argv[1]);
            return 2;
        }
    }
    std::vector<std::string> names(argv + (argc > 2 ? 2 : argc), argv + argc);
    if (names.empty())
        for (auto &c : corpus_cases())
            names.push_back(c.first);
    // Some cases call themselves; a thread has 1 KiB of stack unless told.
    cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10);
    for (const std::string &name : names) {
        auto found = corpus_cases().find(name);
        if (found == corpus_cases().end()) {
            fprintf(stderr, "no case %s\n", name.c_str());
            return 2;
        }
        CorpusDriver driver(found->first.c_str(), launches, index, outputs);
        found->second(driver);
    }
    for (FILE *f : {launches, index, outputs})
        if (f)
            fclose(f);
    return 0;
}
