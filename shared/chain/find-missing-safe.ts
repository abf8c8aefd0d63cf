import { SAFE_CONTRACTS } from '../domain/escrow-address.ts'
import type { ChainClient } from './client.ts'

/**
 * Answers the names of those of Safe's contracts that an escrow needs and a chain does not have.
 *
 * Their addresses follow from their code (CREATE2): what is there is them.
 *
 * @throws {BaseError} viem's, if no node answers
 */
export async function findMissingSafe(client: ChainClient): Promise<readonly string[]> {
  const codes = await Promise.all(
    Object.entries(SAFE_CONTRACTS).map(async ([name, address]) => ({
      name,
      code: await client.getCode({ address }),
    })),
  )
  return codes.filter(({ code }) => code === undefined).map(({ name }) => name)
}
