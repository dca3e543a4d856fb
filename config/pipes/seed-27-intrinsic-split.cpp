// C++ intrinsic with a split mode: each Vector core gets half of the rows.
#pragma tensim profile a2a3
#pragma tensim sync auto
#pragma tensim expect {verdict: pass, cycles: 771, peak: {pipe: 1}}
using AccTile = Tile<TileType::Acc, float, 64, 64>;
using HalfTile = Tile<TileType::Vec, float, 32, 64>;
using MyPipe = TPipe<0, Direction::DIR_C2V, 16384, 4, 2>;
[[init(random)]] GlobalTensor<half, 64, 64> a, b;
[[expect("a @ b")]] GlobalTensor<float, 64, 64> out;
Tile<TileType::Mat, half, 64, 64> a1, b1;
Tile<TileType::Left, half, 64, 64> l;
Tile<TileType::Right, half, 64, 64> r;
AccTile accTile;
HalfTile vecTile;
MyPipe pipe(0x100000, 0x8000, 0x9000);

TLOAD(a1, a);
TLOAD(b1, b);
TMOV(l, a1);
TMOV(r, b1);
TMATMUL(accTile, l, r);
TPUSH_IMPL<MyPipe, AccTile, TileSplitAxis::TILE_UP_DOWN>(pipe, accTile);

TPOP_IMPL<MyPipe, HalfTile, TileSplitAxis::TILE_UP_DOWN>(pipe, vecTile);
TSTORE(out(get_subblockid() * 32, 0), vecTile);
