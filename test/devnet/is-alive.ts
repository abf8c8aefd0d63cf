/** Whether there is a process by that number, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be signalled, and lives.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
