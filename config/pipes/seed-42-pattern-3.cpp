// Pattern 3: sparse sync. After the start slots are free at every period boundary: the producer waits for space
// once in a period of two.
#pragma tensim profile a2a3
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 411, peak: {pipe: 1}}
constexpr int period = 2;
using AccTile = Tile<TileType::Acc, float, 16, 32>;
using VecTile = Tile<TileType::Vec, float, 8, 32>;
using Acc2VecPipe = TPipe<0, Direction::DIR_C2V, 2048, 4, 2>;
[[init(random)]] GlobalTensor<half, 128, 32> a;
[[init(random)]] GlobalTensor<half, 32, 32> b;
[[expect("a @ b + 1")]] GlobalTensor<float, 128, 32> out;
Tile<TileType::Mat, half, 16, 32> a1;
Tile<TileType::Mat, half, 32, 32> b1;
Tile<TileType::Left, half, 16, 32> l;
Tile<TileType::Right, half, 32, 32> r;
VecTile y;
Acc2VecPipe pipe;

void cube_kernel(AccTile &tile)
{
    TLOAD(b1, b);
    TMOV(r, b1);
    for (int iteration = 0; iteration < 8; iteration++) {
        TLOAD(a1, a(iteration * 16, 0));
        TMOV(l, a1);
        TMATMUL(tile, l, r);
        pipe.prod.setAllocateStatus(iteration % period == 0);
        TPUSH_IMPL<Acc2VecPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>(pipe, tile);
    }
}

void vec_kernel(VecTile &vec)
{
    for (int i = 0; i < 8; i++) {
        TPOP_IMPL<Acc2VecPipe, VecTile, TileSplitAxis::TILE_UP_DOWN>(pipe, vec);
        TADDS(y, vec, 1);
        TSTORE(out(i * 16 + get_subblockid() * 8, 0), y);
    }
}
