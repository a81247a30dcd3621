/* A libcuda.so.1 without a GPU, so that what goes through the real cuda-python can be tested: device memory is the
 * host's. The kernel "k" writes its configuration and its parameter buffer to the address that is its first parameter,
 * "vector_add" adds, "maps" writes its three parameters, which are passed one by one, to the address that is the first,
 * every other kernel does nothing.
 *
 * STUB_FAULT=what:n makes the nth launch, load or copy of the process go wrong: `launch` and `copy` end in an illegal
 * address, which every later call answers again; `load` refuses the code; `die` ends the process in a launch, and
 * `hang` never comes back from one. STUB_DRIVER is the version of the driver, 13010 unless it is given. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_IMAGE = 200, INVALID_PTX = 218, NOT_FOUND = 500 };
enum { ILLEGAL_ADDRESS = 700 };
enum { ERROR_LOG_BUFFER = 5 };

static int sticky = OK, retained = 0, loaded = 0;
int stub_retained(void) { return retained; } /* who holds the primary context */
int stub_loaded(void) { return loaded; }     /* modules */

/* Whether this is the nth event of the kind that STUB_FAULT names. */
static int faulty(const char *what) {
  static struct { const char *what; int count; } seen[8];
  const char *wanted = getenv("STUB_FAULT");
  size_t length = strlen(what);
  int i = 0;
  while (seen[i].what && strcmp(seen[i].what, what)) i++;
  seen[i].what = what;
  seen[i].count++;
  return wanted && !strncmp(wanted, what, length) && wanted[length] == ':' && seen[i].count == atoi(wanted + length + 1);
}

static int driver_version(void) {
  const char *given = getenv("STUB_DRIVER");
  return given ? atoi(given) : 13010;
}

static int device_attribute(int *value, int attribute, int device) {
  switch (attribute) {
  case 1: *value = 1024; break;
  case 10: *value = 32; break;
  case 16: *value = 132; break;
  case 38: *value = 1 << 20; break;
  case 75: *value = 9; break;
  case 76: *value = 0; break;
  case 97: *value = 232448; break;
  case 115: *value = 1; break;
  default: return INVALID_VALUE;
  }
  return OK;
}

static int one(int *value) { return *value = 1, OK; }
static int zero(void *unused) { return OK; }
static int work(void *unused) { return sticky; }
static int is_capturing(void *stream, int *status) { return *status = (size_t)stream == 7, OK; }
static int version(int *value) { return *value = driver_version(), OK; }
static int device_get(int *device, int ordinal) { return *device = ordinal, OK; }
static int device_name(char *name, int size, int device) { return strncpy(name, "Stub", size), OK; }
static int retain(void **context, int device) { return *context = (void *)0xC0, retained++, OK; }
static int release_context(int device) { return retained--, sticky; }
static int pop(void **context) { return *context = (void *)0xC0, OK; }

static int allocate(uint64_t *address, size_t size) {
  if (size >> 40) return OUT_OF_MEMORY;
  return *address = (uint64_t)aligned_alloc(256, (size + 255) / 256 * 256), sticky;
}
static int release(uint64_t address) { return sticky ? sticky : (free((void *)address), OK); }
static int copy(void *to, const void *from, size_t size, void *stream) {
  if (!sticky && faulty("copy")) sticky = ILLEGAL_ADDRESS;
  return sticky ? sticky : (memcpy(to, from, size), OK);
}
static int fill(void *to, unsigned char byte, size_t size, void *stream) {
  return sticky ? sticky : (memset(to, byte, size), OK);
}
static int allocate_in(uint64_t *address, size_t size, void *stream) { return allocate(address, size); }
static int release_in(uint64_t address, void *stream) { return release(address); }
static int resident(int *count, void *function, int threads, size_t shared) { return *count = 2, sticky; }
static int pointer_attribute(int *value, int attribute, uint64_t address) {
  return address == 4096 ? INVALID_VALUE : (*value = 0, OK);
}

static int load(void **module, const char *image, unsigned count, const int *options, void **values) {
  int broken = strstr(image, "BROKEN") != NULL;
  for (unsigned i = 0; i < count && broken; i++)
    if (options[i] == ERROR_LOG_BUFFER) strcpy(values[i], "line 3: BROKEN");
  if (broken) return INVALID_PTX;
  if (!sticky && faulty("load")) return INVALID_IMAGE;
  if (sticky) return sticky;
  return *module = memcmp(image, "\177ELF", 4) ? strdup(image) : strdup("ELF"), loaded++, OK;
}
static int unload(void *module) { return sticky ? sticky : (free(module), loaded--, OK); }
static int get_function(void **function, char *module, const char *name) {
  if (strcmp(module, "ELF") && !strstr(module, name)) return NOT_FOUND;
  return *function = strdup(name), OK;
}
static int function_attribute(int *value, int attribute, void *function) { return *value = 10 + attribute, OK; }
static int set_attribute(void *function, int attribute, int value) { return attribute == 8 ? OK : INVALID_VALUE; }

static int create_event(void **event, unsigned flags) { return *event = (void *)0xE0, sticky; }
static int record(void *event, void *stream) { return sticky; }
static int elapsed(float *milliseconds, void *start, void *end) { return *milliseconds = 2.5f, sticky; }
static int error_name(int code, const char **text) {
  *text = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_STUB";
  return OK;
}

struct memref { float *data; uint64_t extent; };

static int launch(const char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                  unsigned shared, void *stream, void **parameters, void **extra) {
  if (sticky) return sticky;
  int one_by_one = !strcmp(function, "maps");
  if (bx * by * bz > 1024 || one_by_one != (parameters && !extra) || one_by_one == (extra && !parameters))
    return INVALID_VALUE;
  if (!one_by_one && ((size_t)extra[0] != 1 || (size_t)extra[2] != 2 || extra[4])) return INVALID_VALUE;
  if (faulty("die")) abort();
  if (faulty("hang")) for (;;) pause();
  if (faulty("launch")) return sticky = ILLEGAL_ADDRESS, OK; /* seen by whoever waits for it */
  if (!strcmp(function, "k")) {
    uint32_t seen[8] = {gx, gy, gz, bx, by, bz, shared, (uint32_t)(size_t)stream};
    char *target = *(char **)extra[1];
    memcpy(target, seen, sizeof seen);
    memcpy(target + sizeof seen, extra[1], *(size_t *)extra[3]);
  }
  if (one_by_one) {
    char *target = *(char **)parameters[0];
    memcpy(target, parameters[0], 8);
    memcpy(target + 8, parameters[1], 4);
    memcpy(target + 12, parameters[2], 128);
  }
  if (!strcmp(function, "vector_add")) {
    const struct memref *buffers = extra[1];
    for (uint64_t i = 0; i < buffers[2].extent; i++) buffers[2].data[i] = buffers[0].data[i] + buffers[1].data[i];
  }
  return OK;
}

int cuGetProcAddress_v2(const char *name, void **function, int version_, uint64_t flags, int *status);

struct attribute { int id; char padding[4]; int value; char rest[60]; };
struct config { unsigned grid[3], block[3], shared; void *stream; struct attribute *attributes; unsigned count; };

/* Only with the attributes that let a kernel begin before the one before it has ended, or have all workgroups at the
 * same time; to "k" the first is 1000 bytes more, the second 2000. */
static int launch_with(const struct config *c, const char *function, void **parameters, void **extra) {
  enum { COOPERATIVE = 2, PROGRAMMATIC_STREAM_SERIALIZATION = 6 };
  int id = c->attributes->id;
  if (c->count != 1 || (id != COOPERATIVE && id != PROGRAMMATIC_STREAM_SERIALIZATION) || c->attributes->value != 1)
    return INVALID_VALUE;
  return launch(function, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared + (id == COOPERATIVE ? 2000 : 1000),
                c->stream, parameters, extra);
}

/* What it was asked for, in 128 bytes that are aligned as cuda.h says of CUtensorMap. */
static int encode(void *map, int type, uint32_t rank, void *address, const uint64_t *extents, const uint64_t *strides,
                  const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  uint64_t seen[16] = {type, rank, (uint64_t)address, extents[0], extents[1], strides[0], box[0], box[1], steps[0],
                       steps[1], interleave, swizzle, promotion, fill};
  return (size_t)map % 64 || rank != 2 ? INVALID_VALUE : (memcpy(map, seen, sizeof seen), OK);
}

static const struct { const char *name; void *function; } table[] = {
    {"cuInit", zero}, {"cuDeviceGetCount", one}, {"cuDeviceGet", device_get}, {"cuDeviceGetName", device_name},
    {"cuDeviceGetAttribute", device_attribute}, {"cuDriverGetVersion", version}, {"cuDevicePrimaryCtxRetain", retain},
    {"cuDevicePrimaryCtxRelease", release_context}, {"cuCtxPushCurrent", zero}, {"cuCtxPopCurrent", pop},
    {"cuMemAllocAsync", allocate_in}, {"cuMemFreeAsync", release_in},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", resident}, {"cuCtxSynchronize", work}, {"cuStreamSynchronize", work}, {"cuStreamIsCapturing", is_capturing}, {"cuMemAlloc", allocate}, {"cuMemFree", release},
    {"cuMemcpyHtoDAsync", copy}, {"cuMemcpyDtoHAsync", copy}, {"cuMemcpyDtoDAsync", copy},
    {"cuMemcpyHtoD", copy}, {"cuMemcpyDtoH", copy}, {"cuCtxSetCurrent", zero}, {"cuMemsetD8Async", fill},
    {"cuPointerGetAttribute", pointer_attribute}, {"cuModuleLoadDataEx", load}, {"cuModuleUnload", unload},
    {"cuModuleGetFunction", get_function}, {"cuFuncGetAttribute", function_attribute},
    {"cuFuncSetAttribute", set_attribute}, {"cuLaunchKernel", launch}, {"cuLaunchKernelEx", launch_with},
    {"cuEventCreate", create_event}, {"cuTensorMapEncodeTiled", encode},
    {"cuEventDestroy", work}, {"cuEventRecord", record}, {"cuEventSynchronize", work}, {"cuEventElapsedTime", elapsed},
    {"cuGetErrorName", error_name}, {"cuGetErrorString", error_name}, {"cuGetProcAddress", cuGetProcAddress_v2},
};

int cuGetProcAddress_v2(const char *name, void **function, int version_, uint64_t flags, int *status) {
  enum { FOUND = 0, MISSING = 1, TOO_OLD = 2 };
  int found = MISSING;
  *function = NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].name, name)) *function = table[i].function, found = FOUND;
  if (version_ > driver_version()) *function = NULL, found = TOO_OLD;
  if (status) *status = found;
  return *function ? OK : NOT_FOUND;
}
int cuGetProcAddress(const char *name, void **function, int version_, uint64_t flags) {
  return cuGetProcAddress_v2(name, function, version_, flags, NULL);
}
