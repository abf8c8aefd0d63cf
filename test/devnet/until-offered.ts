import { requireData } from '../../api/client/client.ts'
import { createApiCaller } from './call-api.ts'
import type { DevnetChain } from './networks.ts'
import { waitFor } from './wait-for.ts'
import type { DevnetDescription } from './write-description.ts'

/** A feed catches up within a few seconds, but several Ponders on a busy machine take longer. */
const TIMEOUT_MS = 90_000

/**
 * Waits until `GET /v1/networks` lists every token of every chain, because the processes can be ready before any pair
 * is available.
 */
export async function untilOffered(
  devnet: Pick<DevnetDescription, 'apiUrl' | 'keys'>,
  chains: readonly DevnetChain[],
): Promise<void> {
  for (const environment of ['live', 'test'] as const) {
    const pairs = chains
      .filter((chain) => chain.environment === environment)
      .flatMap(({ network, deployed }) => deployed.map(({ token }) => `${token}@${network}`))
    const isOffered = async () => {
      const { acceptedPayments } = await requireData(createApiCaller(devnet, environment).GET('/v1/networks'))
      const offered = new Set(acceptedPayments.map(({ token, network }) => `${token}@${network}`))
      return pairs.every((pair) => offered.has(pair))
    }
    const what = `${pairs.join(', ')} to be offered in ${environment}`
    await waitFor(isOffered, { what, timeoutMs: TIMEOUT_MS })
  }
}
