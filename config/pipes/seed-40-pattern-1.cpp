// Pattern 1: Acc to Vec tile passing, the post-processing of a GEMM.
#pragma tensim profile a2a3
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 1936, peak: {pipe: 2}}
using AccTile = Tile<TileType::Acc, float, 64, 64>;
using VecTile = Tile<TileType::Vec, float, 64, 64>;
using Acc2VecPipe = TPipe<0, Direction::DIR_C2V, 16384, 4, 2>;
[[init(random)]] GlobalTensor<half, 256, 64> a;
[[init(random)]] GlobalTensor<half, 64, 64> b;
[[expect("relu(a @ b) * 0.5")]] GlobalTensor<float, 256, 64> out;
Tile<TileType::Mat, half, 64, 64> a1, b1;
Tile<TileType::Left, half, 64, 64> l;
Tile<TileType::Right, half, 64, 64> r;
Tile<TileType::Vec, float, 64, 64> y;

Acc2VecPipe pipe(/* GM buffer */ 0x100000, /* C2V UB */ 0x8000, /* V2C buf */ 0x9000);

void cube_kernel(AccTile &acc)
{
    TLOAD(b1, b);
    TMOV(r, b1);
    for (int i = 0; i < 4; i++) {
        TLOAD(a1, a(i * 64, 0));
        TMOV(l, a1);
        TMATMUL(acc, l, r);
        TPUSH_IMPL(pipe, acc);
    }
}

void vec_kernel(VecTile &vec)
{
    for (int i = 0; i < 4; i++) {
        TPOP_IMPL(pipe, vec);
        TRELU(y, vec);
        TMULS(y, y, 0.5);
        if (get_subblockid() == 0)
            TSTORE(out(i * 64, 0), y);
    }
}
