"""Kernels of `silicon_probe.py` in PTX: each asks a chip one thing, with one thread. ptxas 12.0 and later take them."""

from __future__ import annotations

_HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
BOX_BYTES = 1 << 16
"""Of shared memory that LOAD has for a box, from 1,024 bytes on; behind it lies the barrier object."""
LOAD_SHARED = BOX_BYTES + 4096
STORE_SHARED = 1024
UNTOUCHED = 0xEEEEEEEE
"""What LOAD writes into each word before the box comes."""
STORED = 0x1111
"""Each half that STORE stores."""

_COPIED = "\n".join(f"  ld.param.u64 %v, [m+{8 * i}];\n  st.global.u64 [%o+{8 * i}], %v;" for i in range(16))
PARAMETERS = f"""{_HEAD}
.visible .entry k(.param .u64 out, .param .u32 number, .param .align 64 .b8 m[128]) {{
  .reg .u64 %o, %v, %a;
  .reg .u32 %n;
  ld.param.u64 %o, [out];
{_COPIED}
  ld.param.u32 %n, [number];
  st.global.u32 [%o+128], %n;
  mov.u64 %a, m;
  cvta.param.u64 %a, %a;
  st.global.u64 [%o+136], %a;
  ret;
}}
"""
"""Copies a map, the number before it, and the map's address, to `out`."""

LOAD = f"""{_HEAD}
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u64 out, .param .u32 x, .param .u32 y, .param .u32 bytes, .param .u32 at,
    .param .align 64 .b8 m[128]) {{
  .reg .u64 %o, %m, %place, %token;
  .reg .u32 %x, %y, %bytes, %i, %word, %box, %object, %n, %at;
  .reg .pred %over, %more;
  ld.param.u64 %o, [out];
  ld.param.u32 %x, [x];
  ld.param.u32 %y, [y];
  ld.param.u32 %bytes, [bytes];
  ld.param.u32 %at, [at];
  mov.u64 %m, m;
  cvta.param.u64 %m, %m;
  mov.u32 %box, s;
  add.u32 %object, %box, {BOX_BYTES + 1024};
  add.u32 %box, %box, %at;
  mov.u32 %i, 0;
FILL:
  add.u32 %word, %box, %i;
  mov.u32 %n, {UNTOUCHED:#x};
  st.shared.u32 [%word], %n;
  add.u32 %i, %i, 4;
  setp.lt.u32 %more, %i, %bytes;
  @%more bra FILL;
  mbarrier.init.shared.b64 [%object], 1;
  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 %token, [%object], %bytes;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%box], [%m, {{%x, %y}}], [%object];
  mov.u32 %n, 0;
WAIT:
  mbarrier.try_wait.parity.shared.b64 %over, [%object], 0, 1000000;
  add.u32 %n, %n, 1;
  setp.lt.u32 %more, %n, 2000;
  @%over bra OVER;
  @%more bra WAIT;
OVER:
  selp.u32 %n, 1, 0, %over;
  st.global.u32 [%o], %n;
  st.global.u32 [%o+4], %box;
  mov.u32 %i, 0;
COPY:
  add.u32 %word, %box, %i;
  ld.shared.u32 %y, [%word];
  cvt.u64.u32 %place, %i;
  add.u64 %place, %place, %o;
  st.global.u32 [%place+16], %y;
  add.u32 %i, %i, 4;
  setp.lt.u32 %more, %i, %bytes;
  @%more bra COPY;
  ret;
}}
"""
"""Loads the box at (x, y), `at` bytes into shared memory, and copies as many `bytes` of that to `out` + 16. Before
these stand whether all bytes came within 2,000 waits, and the box's address in shared memory."""

STORE = f"""{_HEAD}
.extern .shared .align 1024 .b8 s[];
.visible .entry k(.param .u32 x, .param .align 64 .b8 m[128]) {{
  .reg .u64 %m;
  .reg .u32 %x, %i, %word, %box, %n;
  .reg .pred %more;
  ld.param.u32 %x, [x];
  mov.u64 %m, m;
  cvta.param.u64 %m, %m;
  mov.u32 %box, s;
  mov.u32 %i, 0;
FILL:
  add.u32 %word, %box, %i;
  mov.u32 %n, {STORED << 16 | STORED:#x};
  st.shared.u32 [%word], %n;
  add.u32 %i, %i, 4;
  setp.lt.u32 %more, %i, 256;
  @%more bra FILL;
  fence.proxy.async.shared::cta;
  cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%m, {{%x}}], [%box];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  ret;
}}
"""
"""Stores a box of 128 halves at x of a map of one dimension."""
