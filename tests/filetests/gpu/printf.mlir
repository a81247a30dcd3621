// Each owner prints once, and what it prints stands together: a thread's lines one after the other.
// test roundtrip
// test run
// test run target=gfx1100
// test run target=sm_80
// lanewise.args ; grid = 2
// prints 0000|+0.250|0x80
// prints 0: 0% of ffffffff
// prints 0001|+0.500|0x81
// prints 1: 50% of ffffffff
// prints 0000|+0.250|0x80
// prints 0: 0% of ffffffff
// prints 0001|+0.500|0x81
// prints 1: 50% of ffffffff
gpu.func @of_threads() kernel attributes {gpu.known_block_size = array<i32: 2, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %c50 = arith.constant 50 : index
  %c128 = arith.constant 128 : index
  %all = arith.constant -1 : i32
  %quarter = arith.constant 0.25 : f32
  %n = arith.index_cast %t : index to i32
  %f = arith.sitofp %n : i32 to f32
  %scaled = math.fma %f, %quarter, %quarter : f32
  %place = arith.addi %t, %c128 : index
  gpu.printf "%04ld|%+.3f|%p\0A", %t, %scaled, %place : index, f32, index
  %share = arith.muli %t, %c50 : index
  gpu.printf "%d: %zu%% of %x\0A" %t, %share, %all : index, index, i32
  gpu.return
}
// -----
// First what the workgroup's own program prints, then its parts, then its threads, in the order of the text.
// lanewise.args ; grid = 1
// prints before ... after
// prints first
// prints second 1 2
// prints thread 62
// prints thread 63
gpu.func @parts() kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.subgroup_size = 32 : i64} {
  gpu.printf "before ..."
  lanewise.split {subgroups = array<i64: 1, 1>} {
    gpu.printf "first\0A"
  } {
    %v = arith.constant dense<[1, 2]> : vector<2xi32>
    gpu.printf "second"
    %a = vector.extract %v[0] : i32 from vector<2xi32>
    %b = vector.extract %v[1] : i32 from vector<2xi32>
    gpu.printf " %d %d\0A", %a, %b : i32, i32
    lanewise.threads {
      %t = gpu.thread_id x
      %c62 = arith.constant 62 : index
      %is_last = arith.cmpi uge, %t, %c62 : index
      scf.if %is_last {
        gpu.printf "thread %d\0A", %t : index
      }
    }
  }
  gpu.printf " after\0A"
  gpu.return
}
// -----
// Subgroups print by themselves; functions that are called print as if they stood there.
// lanewise.args ; grid = 1
// prints 0: ( 0, 1, 2, 3 )
// prints 1: ( 0, 1, 2, 3 )
module {
  func.func private @show(%i: index) {
    gpu.printf "%d: ", %i : index
    %v = vector.step : vector<4xindex>
    vector.print %v : vector<4xindex>
    return
  }
  gpu.func @of_subgroups() kernel
      attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "subgroup",
                  lanewise.subgroup_size = 32 : i64} {
    %i = gpu.subgroup_id : index
    func.call @show(%i) : (index) -> ()
    gpu.return
  }
}
