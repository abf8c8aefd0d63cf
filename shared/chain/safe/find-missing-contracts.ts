import { SAFE_CONTRACTS } from '../../domain/escrow-address.ts'
import type { ChainClient } from '../nodes/client.ts'

/**
 * Lists the names of the Safe contracts that an escrow needs and that a chain lacks.
 *
 * The addresses depend on the contracts' code (CREATE2), so any code at these addresses is the right code.
 *
 * @throws {BaseError} from viem if no node responds
 */
export async function findMissingSafeContracts(client: ChainClient): Promise<readonly string[]> {
  const codes = await Promise.all(
    Object.entries(SAFE_CONTRACTS).map(async ([name, address]) => ({
      name,
      code: await client.getCode({ address }),
    })),
  )
  return codes.filter(({ code }) => code === undefined).map(({ name }) => name)
}
