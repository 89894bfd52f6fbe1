/*
 * Intercepts the file system calls of a program, only for tests. Loaded with LD_PRELOAD it records every change of
 * files below a folder, or lets chosen calls fail, so that power cuts, failing and full disks can be simulated on the real
 * programs. Linux, glibc.
 *
 *   FAULTS_ROOT     absolute folder; calls on paths outside are not changed
 *   FAULTS_TRACE    file that every change is appended to, with its data (see trace.ts for the layout)
 *   FAULTS_CONTROL  file of `struct control`, shared by all processes, that selects the calls that fail
 *   FAULTS_BOOT_ID  file that is read instead of the kernel's boot id, to simulate another boot
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Effect of a call: the bits of `kinds` in the control file and the type of a record in the trace. */
enum kind {
  K_WRITE = 0,
  K_TRUNCATE = 1,
  K_CREATE = 2,
  K_RENAME = 3,
  K_LINK = 4,
  K_UNLINK = 5,
  K_MKDIR = 6,
  K_RMDIR = 7,
  K_SYMLINK = 8,
  K_FSYNC = 9,
  K_FSYNC_FOLDER = 10,
  K_CHMOD = 11
};

struct control {
  uint32_t armed;
  uint32_t kinds;
  int64_t first;
  int64_t last;
  _Atomic int64_t count;
  _Atomic int64_t hits;
  int32_t error;
  uint32_t is_short;
  int64_t free_bytes; /* result of statfs; -1 for the real value */
  char include[128];
  char exclude[128];
  char hit[256];
};

struct record {
  uint32_t size; /* of the whole record, this head included */
  uint32_t kind;
  uint32_t pid;
  uint32_t path_size;
  uint64_t inode;
  int64_t offset; /* of a write; the new length of a truncation */
  uint64_t time;  /* nanoseconds since the epoch */
  uint32_t other_size; /* second path, or the data */
  uint32_t reserved;
};

#define MAX_FD 65536
static char *tracked[MAX_FD]; /* path below the root of a descriptor that may write, or of a folder */
static uint64_t inodes[MAX_FD];
static char root[PATH_MAX];
static size_t root_size;
static const char *boot_file;
static int trace_fd = -1;
static int lock_fd = -1;
static struct control *control;
static pid_t owner;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int high_fd(int fd) {
  int high = fcntl(fd, F_DUPFD_CLOEXEC, 900);
  syscall(SYS_close, fd);
  return high;
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = getenv("FAULTS_ROOT");
  if (!folder) return;
  owner = getpid();
  root_size = strlen(folder);
  memcpy(root, folder, root_size + 1);
  boot_file = getenv("FAULTS_BOOT_ID");
  const char *trace = getenv("FAULTS_TRACE");
  if (trace) {
    trace_fd = high_fd((int)syscall(SYS_openat, AT_FDCWD, trace, O_WRONLY | O_APPEND | O_CLOEXEC, 0));
    lock_fd = high_fd((int)syscall(SYS_openat, AT_FDCWD, trace, O_RDONLY | O_CLOEXEC, 0));
  }
  const char *file = getenv("FAULTS_CONTROL");
  if (file) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC, 0);
    void *map = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) control = map;
    syscall(SYS_close, fd);
  }
}

/* A forked child must not change this state before it calls exec. */
static int is_on(void) { return root_size > 0 && getpid() == owner; }

/* The path below the root, '' for the root itself; NULL for a path outside. `out` is its buffer. */
static const char *below(int folder, const char *path, char *out) {
  char full[PATH_MAX * 2];
  if (path[0] != '/') {
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return NULL;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t size = readlink(link, base, sizeof base - 1);
      if (size < 0) return NULL;
      base[size] = 0;
    }
    snprintf(full, sizeof full, "%s/%s", base, path);
  } else {
    snprintf(full, sizeof full, "%s", path);
  }
  /* Names are resolved by hand, because a link in the last component must not be followed. */
  char plain[PATH_MAX * 2];
  size_t size = 0;
  for (const char *at = full; *at;) {
    while (*at == '/') at++;
    const char *end = at;
    while (*end && *end != '/') end++;
    size_t part = (size_t)(end - at);
    if (part == 0 || (part == 1 && at[0] == '.')) {
    } else if (part == 2 && at[0] == '.' && at[1] == '.') {
      while (size > 0 && plain[--size] != '/') {
      }
    } else {
      plain[size++] = '/';
      memcpy(plain + size, at, part);
      size += part;
    }
    at = end;
  }
  plain[size] = 0;
  if (strncmp(plain, root, root_size) != 0) return NULL;
  if (plain[root_size] == 0) {
    out[0] = 0;
    return out;
  }
  if (plain[root_size] != '/') return NULL;
  snprintf(out, PATH_MAX, "%s", plain + root_size + 1);
  return out;
}

static void lock(void) {
  pthread_mutex_lock(&mutex);
  if (lock_fd >= 0) flock(lock_fd, LOCK_EX);
}

static void unlock(void) {
  int kept = errno;
  if (lock_fd >= 0) flock(lock_fd, LOCK_UN);
  pthread_mutex_unlock(&mutex);
  errno = kept;
}

/* One append holds one record, so that records of several processes never mix. */
static void note(enum kind kind, const char *path, uint64_t inode, int64_t offset, const struct iovec *data, int parts) {
  if (trace_fd < 0) return;
  int kept = errno;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  size_t size = 0;
  for (int i = 0; i < parts; i++) size += data[i].iov_len;
  struct record head = {0};
  head.kind = kind;
  head.pid = (uint32_t)owner;
  head.path_size = (uint32_t)strlen(path);
  head.inode = inode;
  head.offset = offset;
  head.time = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
  head.other_size = (uint32_t)size;
  head.size = (uint32_t)(sizeof head + head.path_size + size);
  struct iovec all[IOV_MAX];
  all[0] = (struct iovec){&head, sizeof head};
  all[1] = (struct iovec){(void *)path, head.path_size};
  for (int i = 0; i < parts; i++) all[2 + i] = data[i];
  syscall(SYS_writev, trace_fd, all, parts + 2);
  errno = kept;
}

static uint64_t inode_of(int fd) {
  struct stat stat;
  return fstat(fd, &stat) == 0 ? stat.st_ino : 0;
}

enum verdict { PASS, FAIL, SHORT };

/* Reports whether this call must fail. Sets errno. */
static enum verdict judge(enum kind kind, const char *path) {
  if (!control || !control->armed || !(control->kinds & (1u << kind))) return PASS;
  if (control->include[0] && !strstr(path, control->include)) return PASS;
  if (control->exclude[0] && strstr(path, control->exclude)) return PASS;
  int64_t number = atomic_fetch_add(&control->count, 1) + 1;
  if (number < control->first || number > control->last) return PASS;
  if (atomic_fetch_add(&control->hits, 1) == 0) snprintf(control->hit, sizeof control->hit, "%d %s", kind, path);
  if (control->is_short && kind == K_WRITE) return SHORT;
  errno = control->error;
  return FAIL;
}

/* A descriptor may have been closed unseen, for example by closedir, and reused for another file. */
static const char *path_of(int fd) {
  if (fd < 0 || fd >= MAX_FD || !tracked[fd] || !is_on()) return NULL;
  return inode_of(fd) == inodes[fd] ? tracked[fd] : NULL;
}

static void track(int fd, const char *path) {
  if (fd < 0 || fd >= MAX_FD) return;
  char *old = tracked[fd];
  inodes[fd] = path ? inode_of(fd) : 0;
  tracked[fd] = path ? strdup(path) : NULL;
  free(old);
}

/* ---- opening and closing ---- */

static int open_any(int folder, const char *path, int flags, mode_t mode) {
  if (!is_on()) return (int)syscall(SYS_openat, folder, path, flags, mode);
  if (boot_file && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0)
    return (int)syscall(SYS_openat, AT_FDCWD, boot_file, flags, mode);
  char place[PATH_MAX];
  const char *name = below(folder, path, place);
  if (!name) {
    int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0) track(fd, NULL);
    return fd;
  }
  int writes = (flags & O_ACCMODE) != O_RDONLY;
  lock();
  struct stat before;
  int existed = fstatat(folder, path, &before, 0) == 0;
  if (writes && (flags & O_CREAT) && !existed && judge(K_CREATE, name) != PASS) {
    unlock();
    return -1;
  }
  int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
  if (fd >= 0) {
    struct stat stat;
    int is_folder = fstat(fd, &stat) == 0 && S_ISDIR(stat.st_mode);
    /* Read-only files need no trace, but a folder is opened to be synced. */
    int is_kept = is_folder || (writes && S_ISREG(stat.st_mode));
    track(fd, is_kept ? name : NULL);
    if (writes && S_ISREG(stat.st_mode)) {
      if ((flags & O_CREAT) && !existed)
        note(K_CREATE, name, stat.st_ino, stat.st_mode, NULL, 0);
      else if ((flags & O_TRUNC) && before.st_size > 0)
        note(K_TRUNCATE, name, stat.st_ino, 0, NULL, 0);
    }
  }
  unlock();
  return fd;
}

#define MODE_OF(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(folder, path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_any(folder, path, flags, mode);
}
int __open_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return open_any(AT_FDCWD, path, flags, 0); }
int creat(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_any(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int fd) {
  /* Our own descriptors stay open: some programs close all unknown ones. */
  if (is_on() && fd >= 0 && (fd == trace_fd || fd == lock_fd)) return 0;
  if (is_on()) track(fd, NULL);
  return (int)syscall(SYS_close, fd);
}

/* ---- data ---- */

/* Returns the buffers of a list that contain its first `size` bytes. */
static int cut(const struct iovec *all, int parts, size_t size, struct iovec *out) {
  int count = 0;
  for (int i = 0; i < parts && size > 0; i++) {
    size_t part = all[i].iov_len < size ? all[i].iov_len : size;
    out[count++] = (struct iovec){all[i].iov_base, part};
    size -= part;
  }
  return count;
}

/* `offset` is -1 for a write at the position of the descriptor. */
static ssize_t write_any(int fd, const struct iovec *data, int parts, off_t offset) {
  const char *path = path_of(fd);
  struct iovec some[IOV_MAX];
  if (!path || parts > IOV_MAX - 2) {
    return offset < 0 ? syscall(SYS_writev, fd, data, parts) : syscall(SYS_pwritev, fd, data, parts, offset, 0);
  }
  lock();
  enum verdict verdict = judge(K_WRITE, path);
  if (verdict == FAIL) {
    unlock();
    return -1;
  }
  if (verdict == SHORT) {
    size_t size = 0;
    for (int i = 0; i < parts; i++) size += data[i].iov_len;
    parts = cut(data, parts, size > 1 ? size / 2 : size, some);
    data = some;
  }
  off_t at = offset;
  if (offset < 0) {
    int flags = fcntl(fd, F_GETFL);
    at = flags & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR);
  }
  ssize_t written =
      offset < 0 ? syscall(SYS_writev, fd, data, parts) : syscall(SYS_pwritev, fd, data, parts, offset, 0);
  if (written > 0 && trace_fd >= 0) {
    struct iovec kept[IOV_MAX];
    int count = cut(data, parts, (size_t)written, kept);
    note(K_WRITE, path, inode_of(fd), at, kept, count);
  }
  unlock();
  return written;
}

ssize_t write(int fd, const void *data, size_t size) {
  if (!path_of(fd)) return syscall(SYS_write, fd, data, size);
  struct iovec one = {(void *)data, size};
  return write_any(fd, &one, 1, -1);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  struct iovec one = {(void *)data, size};
  return write_any(fd, &one, 1, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  struct iovec one = {(void *)data, size};
  return write_any(fd, &one, 1, offset);
}
ssize_t writev(int fd, const struct iovec *data, int parts) { return write_any(fd, data, parts, -1); }
ssize_t pwritev(int fd, const struct iovec *data, int parts, off_t offset) { return write_any(fd, data, parts, offset); }
ssize_t pwritev64(int fd, const struct iovec *data, int parts, off64_t offset) {
  return write_any(fd, data, parts, offset);
}
ssize_t pwritev2(int fd, const struct iovec *data, int parts, off_t offset, int flags) {
  (void)flags;
  return write_any(fd, data, parts, offset);
}

/* A copy within the kernel is simulated as reads and writes. */
static ssize_t copy_any(int out, off64_t *out_offset, int in, off64_t *in_offset, size_t size) {
  char block[8192];
  size_t want = size < sizeof block ? size : sizeof block;
  ssize_t got = in_offset ? pread64(in, block, want, *in_offset) : read(in, block, want);
  if (got <= 0) return got;
  struct iovec one = {block, (size_t)got};
  ssize_t written = write_any(out, &one, 1, out_offset ? *out_offset : -1);
  if (written < 0) return written;
  if (in_offset)
    *in_offset += written;
  else if (written < got)
    lseek(in, written - got, SEEK_CUR);
  if (out_offset) *out_offset += written;
  return written;
}
ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
  if (!path_of(out)) return syscall(SYS_sendfile, out, in, offset, size);
  return copy_any(out, NULL, in, (off64_t *)offset, size);
}
ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
  if (!path_of(out)) return syscall(SYS_sendfile, out, in, offset, size);
  return copy_any(out, NULL, in, offset, size);
}
ssize_t copy_file_range(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t size, unsigned flags) {
  if (!path_of(out)) return syscall(SYS_copy_file_range, in, in_offset, out, out_offset, size, flags);
  return copy_any(out, out_offset, in, in_offset, size);
}

static int truncate_fd(int fd, off64_t size) {
  const char *path = path_of(fd);
  if (!path) return (int)syscall(SYS_ftruncate, fd, size);
  lock();
  int done = judge(K_TRUNCATE, path) == PASS ? (int)syscall(SYS_ftruncate, fd, size) : -1;
  if (done == 0) note(K_TRUNCATE, path, inode_of(fd), size, NULL, 0);
  unlock();
  return done;
}
int ftruncate(int fd, off_t size) { return truncate_fd(fd, size); }
int ftruncate64(int fd, off64_t size) { return truncate_fd(fd, size); }

static int truncate_path(const char *path, off64_t size) {
  char place[PATH_MAX];
  const char *name = is_on() ? below(AT_FDCWD, path, place) : NULL;
  if (!name) return (int)syscall(SYS_truncate, path, size);
  lock();
  int done = judge(K_TRUNCATE, name) == PASS ? (int)syscall(SYS_truncate, path, size) : -1;
  struct stat stat;
  if (done == 0 && lstat(path, &stat) == 0) note(K_TRUNCATE, name, stat.st_ino, size, NULL, 0);
  unlock();
  return done;
}
int truncate(const char *path, off_t size) { return truncate_path(path, size); }
int truncate64(const char *path, off64_t size) { return truncate_path(path, size); }

static int sync_any(int fd, long call) {
  const char *path = path_of(fd);
  if (!path) return (int)syscall(call, fd);
  lock();
  struct stat stat;
  int is_folder = fstat(fd, &stat) == 0 && S_ISDIR(stat.st_mode);
  enum kind kind = is_folder ? K_FSYNC_FOLDER : K_FSYNC;
  /* The trace decides what is durable, so there is no need to wait for the disk. */
  int done = judge(kind, path) != PASS ? -1 : trace_fd >= 0 || control ? 0 : (int)syscall(call, fd);
  if (done == 0) note(kind, path, stat.st_ino, 0, NULL, 0);
  unlock();
  return done;
}
int fsync(int fd) { return sync_any(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_any(fd, SYS_fdatasync); }

/* ---- names ---- */

static int name_any(enum kind kind, int folder, const char *path, long call, long a, long b, long c, long d) {
  char place[PATH_MAX];
  const char *name = is_on() ? below(folder, path, place) : NULL;
  if (!name) return (int)syscall(call, a, b, c, d);
  lock();
  struct stat stat = {0};
  fstatat(folder, path, &stat, AT_SYMLINK_NOFOLLOW);
  int done = judge(kind, name) == PASS ? (int)syscall(call, a, b, c, d) : -1;
  if (done == 0) {
    if (kind == K_MKDIR) fstatat(folder, path, &stat, AT_SYMLINK_NOFOLLOW);
    note(kind, name, stat.st_ino, stat.st_mode, NULL, 0);
  }
  unlock();
  return done;
}

int mkdir(const char *path, mode_t mode) {
  return name_any(K_MKDIR, AT_FDCWD, path, SYS_mkdirat, AT_FDCWD, (long)path, mode, 0);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  return name_any(K_MKDIR, folder, path, SYS_mkdirat, folder, (long)path, mode, 0);
}
int unlink(const char *path) { return name_any(K_UNLINK, AT_FDCWD, path, SYS_unlinkat, AT_FDCWD, (long)path, 0, 0); }
int rmdir(const char *path) {
  return name_any(K_RMDIR, AT_FDCWD, path, SYS_unlinkat, AT_FDCWD, (long)path, AT_REMOVEDIR, 0);
}
int unlinkat(int folder, const char *path, int flags) {
  return name_any(flags & AT_REMOVEDIR ? K_RMDIR : K_UNLINK, folder, path, SYS_unlinkat, folder, (long)path, flags, 0);
}
int remove(const char *path) {
  struct stat stat;
  if (lstat(path, &stat) != 0) return -1;
  return S_ISDIR(stat.st_mode) ? rmdir(path) : unlink(path);
}

/* Two names: the record's data is the second one. */
static int names_any(enum kind kind, int from_folder, const char *from, int to_folder, const char *to, long call,
                     unsigned flags) {
  char from_place[PATH_MAX], to_place[PATH_MAX];
  const char *from_name = is_on() ? below(from_folder, from, from_place) : NULL;
  const char *to_name = is_on() ? below(to_folder, to, to_place) : NULL;
  if (!to_name) return (int)syscall(call, from_folder, from, to_folder, to, flags);
  lock();
  int done = judge(kind, to_name) == PASS ? (int)syscall(call, from_folder, from, to_folder, to, flags) : -1;
  if (done == 0) {
    struct stat stat = {0};
    fstatat(to_folder, to, &stat, AT_SYMLINK_NOFOLLOW);
    struct iovec other = {(void *)to_name, strlen(to_name)};
    note(kind, from_name ? from_name : "", stat.st_ino, 0, &other, 1);
  }
  unlock();
  return done;
}
int rename(const char *from, const char *to) {
  return names_any(K_RENAME, AT_FDCWD, from, AT_FDCWD, to, SYS_renameat2, 0);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  return names_any(K_RENAME, from_folder, from, to_folder, to, SYS_renameat2, 0);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  return names_any(K_RENAME, from_folder, from, to_folder, to, SYS_renameat2, flags);
}
int link(const char *from, const char *to) {
  return names_any(K_LINK, AT_FDCWD, from, AT_FDCWD, to, SYS_linkat, 0);
}
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  return names_any(K_LINK, from_folder, from, to_folder, to, SYS_linkat, (unsigned)flags);
}

static int symlink_any(const char *target, int folder, const char *path) {
  char place[PATH_MAX];
  const char *name = is_on() ? below(folder, path, place) : NULL;
  if (!name) return (int)syscall(SYS_symlinkat, target, folder, path);
  lock();
  int done = judge(K_SYMLINK, name) == PASS ? (int)syscall(SYS_symlinkat, target, folder, path) : -1;
  if (done == 0) {
    struct stat stat = {0};
    fstatat(folder, path, &stat, AT_SYMLINK_NOFOLLOW);
    struct iovec other = {(void *)target, strlen(target)};
    note(K_SYMLINK, name, stat.st_ino, 0, &other, 1);
  }
  unlock();
  return done;
}
int symlink(const char *target, const char *path) { return symlink_any(target, AT_FDCWD, path); }
int symlinkat(const char *target, int folder, const char *path) { return symlink_any(target, folder, path); }

/* A mode is never lost: no test depends on losing one. */
int fchmod(int fd, mode_t mode) {
  int done = (int)syscall(SYS_fchmod, fd, mode);
  const char *path = path_of(fd);
  if (done == 0 && path) note(K_CHMOD, path, inode_of(fd), mode, NULL, 0);
  return done;
}
int chmod(const char *path, mode_t mode) {
  int done = (int)syscall(SYS_fchmodat, AT_FDCWD, path, mode);
  char place[PATH_MAX];
  const char *name = done == 0 && is_on() ? below(AT_FDCWD, path, place) : NULL;
  struct stat found;
  if (name && stat(path, &found) == 0) note(K_CHMOD, name, found.st_ino, mode, NULL, 0);
  return done;
}

/* ---- disk space ---- */

static int statfs_any(const char *path, int fd, struct statfs *out) {
  int done = path ? (int)syscall(SYS_statfs, path, out) : (int)syscall(SYS_fstatfs, fd, out);
  if (done != 0 || !control || !control->armed || control->free_bytes < 0 || !is_on()) return done;
  char place[PATH_MAX];
  if (path && below(AT_FDCWD, path, place) && out->f_bsize > 0)
    out->f_bavail = (unsigned long)control->free_bytes / (unsigned long)out->f_bsize;
  return done;
}
int statfs(const char *path, struct statfs *out) { return statfs_any(path, -1, out); }
int statfs64(const char *path, struct statfs64 *out) { return statfs_any(path, -1, (struct statfs *)out); }
