#pragma tensim name flash-attention-a5
#pragma tensim profile a5
#pragma tensim preset a5
[[init(random)]] GlobalTensor<half, 64, 64> q;
[[init(random)]] GlobalTensor<half, 512, 64> k;
[[init(random)]] GlobalTensor<half, 512, 64> v;
[[expect("softmax(q @ t(k) * 0.125) @ v"), tolerance(0.002)]] GlobalTensor<float, 64, 64> o;
Tile<TileType::Mat, half, 64, 64> q1;
Tile<TileType::Mat, half, 64, 64> k1[2];
Tile<TileType::Mat, half, 64, 64> v1[2];
Tile<TileType::Mat, half, 64, 64> p1;
Tile<TileType::Left, half, 64, 64> l[2];
Tile<TileType::Right, half, 64, 64> r[2];
Tile<TileType::Acc, float, 64, 64> acc[2];
Tile<TileType::Acc, float, 64, 64> pva[2];
Tile<TileType::Vec, float, 32, 64> x;
Tile<TileType::Vec, float, 32, 64> y;
Tile<TileType::Vec, half, 32, 64> e[2];
Tile<TileType::Vec, float, 32, 1> lmax;
Tile<TileType::Vec, float, 32, 1> lsum;
Tile<TileType::Vec, float, 32, 1> gmax;
Tile<TileType::Vec, float, 32, 1> gsum;
Tile<TileType::Vec, float, 32, 1> emax;
Tile<TileType::Vec, float, 32, 64> z;
Tile<TileType::Vec, float, 32, 64> ov;
TPipe<0, Direction::DIR_C2V, 8192, 2, 2, false, false> qk;
TPipe<2, Direction::DIR_V2C, 8192, 2, 2, false, false> p;
TPipe<4, Direction::DIR_C2V, 8192, 2, 2, false, false> pv;
[[cube]] void cube() {
    int nt = 8;
    int n = 0;
    TLOAD(q1, q);
    set_flag(PIPE_M, PIPE_MTE1, 0);
    set_flag(PIPE_M, PIPE_MTE1, 1);
    for (int i = 0; i < 4; i++) {
        set_flag(PIPE_MTE1, PIPE_MTE2, i);
        set_flag(PIPE_FIX, PIPE_M, i);
    }
    for (int step = 0; step < nt + 1; step++) {
        if (step < nt) {
            wait_flag(PIPE_MTE1, PIPE_MTE2, step % 2);
            [[t]] TLOAD(k1[step % 2], k(step * 64, 0));
            pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
            wait_flag(PIPE_M, PIPE_MTE1, n % 2);
            TMOV(l[n % 2], q1);
            TMOV(r[n % 2], k1[step % 2]);
            set_flag(PIPE_MTE1, PIPE_MTE2, step % 2);
            pipe_sync(PIPE_MTE1, PIPE_M, n % 2);
            wait_flag(PIPE_FIX, PIPE_M, step % 2);
            TMATMUL(acc[step % 2], l[n % 2], r[n % 2]);
            set_flag(PIPE_M, PIPE_MTE1, n % 2);
            pipe_sync(PIPE_M, PIPE_FIX, 0);
            TPUSH<TileSplitAxis::TILE_UP_DOWN>(qk, acc[step % 2]);
            set_flag(PIPE_FIX, PIPE_M, step % 2);
            n = n + 1;
        }
        int t = step - 1;
        if (t >= 0) {
            wait_flag(PIPE_MTE1, PIPE_MTE2, t % 2 + 2);
            TLOAD(v1[t % 2], v(t * 64, 0));
            pipe_sync(PIPE_MTE2, PIPE_MTE1, 0);
            wait_flag(PIPE_M, PIPE_MTE1, n % 2);
            TPOP<TileSplitAxis::TILE_UP_DOWN>(p, p1);
            TMOV(l[n % 2], p1);
            TFREE<TileSplitAxis::TILE_UP_DOWN>(p);
            TMOV(r[n % 2], v1[t % 2]);
            set_flag(PIPE_MTE1, PIPE_MTE2, t % 2 + 2);
            pipe_sync(PIPE_MTE1, PIPE_M, n % 2);
            wait_flag(PIPE_FIX, PIPE_M, t % 2 + 2);
            TMATMUL(pva[t % 2], l[n % 2], r[n % 2]);
            set_flag(PIPE_M, PIPE_MTE1, n % 2);
            pipe_sync(PIPE_M, PIPE_FIX, 0);
            TPUSH<TileSplitAxis::TILE_UP_DOWN>(pv, pva[t % 2]);
            set_flag(PIPE_FIX, PIPE_M, t % 2 + 2);
            n = n + 1;
        }
    }
    wait_flag(PIPE_M, PIPE_MTE1, 0);
    wait_flag(PIPE_M, PIPE_MTE1, 1);
    for (int i = 0; i < 4; i++) {
        wait_flag(PIPE_MTE1, PIPE_MTE2, i);
        wait_flag(PIPE_FIX, PIPE_M, i);
    }
}
[[vector]] void vector() {
    int nt = 8;
    set_flag(PIPE_MTE3, PIPE_V, 0);
    set_flag(PIPE_MTE3, PIPE_V, 1);
    for (int t = 0; t < nt; t++) {
        TPOP<TileSplitAxis::TILE_UP_DOWN>(qk, x);
        TMULS(y, x, 0.125);
        TFREE<TileSplitAxis::TILE_UP_DOWN>(qk);
        TROWMAX(lmax, y);
        if (t > 0) {
            TMAX(lmax, lmax, gmax);
            TSUB(emax, gmax, lmax);
            TEXP(emax, emax);
        }
        TMULS(gmax, lmax, 1);
        TROWEXPANDSUB(y, y, lmax);
        TEXP(y, y);
        TROWSUM(lsum, y);
        if (t > 0) {
            TMUL(gsum, gsum, emax);
            TADD(gsum, gsum, lsum);
        } else {
            TMULS(gsum, lsum, 1);
        }
        wait_flag(PIPE_MTE3, PIPE_V, t % 2);
        TCVT(e[t % 2], y);
        pipe_sync(PIPE_V, PIPE_MTE3, 0);
        TPUSH<TileSplitAxis::TILE_UP_DOWN>(p, e[t % 2]);
        set_flag(PIPE_MTE3, PIPE_V, t % 2);
        TPOP<TileSplitAxis::TILE_UP_DOWN>(pv, z);
        if (t > 0) {
            TROWEXPANDMUL(ov, ov, emax);
            TADD(ov, ov, z);
        } else {
            TMOV(ov, z);
        }
        TFREE<TileSplitAxis::TILE_UP_DOWN>(pv);
    }
    TROWEXPANDDIV(ov, ov, gsum);
    pipe_sync(PIPE_V, PIPE_MTE3, 0);
    TSTORE(o(get_subblockid() * 32, 0), ov);
    wait_flag(PIPE_MTE3, PIPE_V, 0);
    wait_flag(PIPE_MTE3, PIPE_V, 1);
}
