import { createPublicClient, custom, recoverMessageAddress } from 'viem'

/**
 * Loads the modules that viem imports only when it first needs them. Loading takes real time, during which another
 * event could happen.
 */
export async function warmUp(): Promise<void> {
  const refuse = () => Promise.reject(Object.assign(new Error('execution reverted'), { code: 3, data: '0x' }))
  const client = createPublicClient({
    transport: custom({ request: refuse }, { retryCount: 0 }),
    ccipRead: false,
  })
  const to = `0x${'11'.repeat(20)}` as const
  await client.call({ to, data: '0x' }).catch(() => undefined)
  await client.estimateGas({ to, data: '0x', account: to }).catch(() => undefined)
  const signature = `0x${'11'.repeat(64)}1b` as const
  await recoverMessageAddress({ message: '', signature }).catch(() => undefined)
}
