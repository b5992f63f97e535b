// A host that leans on libraries that are not here: aliases of namespaces, aliases of types.
//@ buffer x i32 4 iota 0 1
//@ run bump <<<1, 4>>> (x, 4)
//@ expect x 1 2 3 4
#include <boost/program_options.hpp>
#include <Eigen/Dense>
#include <opencv2/opencv.hpp>
namespace po = boost::program_options;
using Matrix = Eigen::MatrixXf;
static void parse(int argc, char **argv)
{
    po::options_description desc("options");
    desc.add_options()("n", po::value<int>()->default_value(4), "size");
    po::variables_map vm;
    po::store(po::parse_command_line(argc, argv, desc), vm);
}
cv::Mat load(const std::string &path) { return cv::imread(path, cv::IMREAD_GRAYSCALE); }
__global__ void bump(int *x, int n)
{
    [[maybe_unused]] const int unused = 0;
    if (int i = threadIdx.x; i < n) x[i]++;
}
int main(int argc, char **argv)
{
    parse(argc, argv);
    Matrix m(2, 2);
    int *d;
    cudaMalloc(&d, 16);
    bump<<<1, 4>>>(d, 4);
}
