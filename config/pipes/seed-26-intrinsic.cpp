// C++ intrinsic: a C2V pipe with its template parameters, its three addresses, and a push.
#pragma tensim profile a2a3
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 986, peak: {pipe: 1}}
#include <pto/common/fifo.hpp>
using namespace pto;

using AccTile = Tile<TileType::Acc, float, 64, 64>;
using VecTile = Tile<TileType::Vec, float, 64, 64>;
using MyPipe = TPipe<0, Direction::DIR_C2V, 16384, 4, 2>;
[[init(random)]] GlobalTensor<half, 64, 64> a, b;
[[expect("a @ b")]] GlobalTensor<float, 64, 64> out;
Tile<TileType::Mat, half, 64, 64> a1, b1;
Tile<TileType::Left, half, 64, 64> l;
Tile<TileType::Right, half, 64, 64> r;

MyPipe pipe(/* GM slot buffer */ reinterpret_cast<__gm__ void *>(0x100000),
            /* C2V consumer UB buf */ 0x8000,
            /* V2C consumer buf */ 0x9000);

void producer_side(AccTile &accTile)
{
    TLOAD(a1, a);
    TLOAD(b1, b);
    TMOV(l, a1);
    TMOV(r, b1);
    TMATMUL(accTile, l, r);
    TPUSH_IMPL(pipe, accTile);
}

void consumer_side(VecTile &vecTile)
{
    TPOP_IMPL(pipe, vecTile);
    if (get_subblockid() == 0)
        TSTORE(out, vecTile);
}
