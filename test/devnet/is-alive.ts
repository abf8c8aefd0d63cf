/** Whether a process with this id exists, no matter which user owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user rejects the signal, which proves that it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
