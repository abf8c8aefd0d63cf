import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { requireCondition } from './evidence-error.ts'

/**
 * Parses an address. Accepts only the API's spelling, so that the same facts always have the same text.
 *
 * @throws {EvidenceError} for any other text
 */
export function readSpelled(text: string, family: ChainFamilyName): Address {
  const address = CHAIN_FAMILIES[family].parseAddress(text)
  const isSpelled = address !== null && presentAddress(address, family) === text
  requireCondition(
    isSpelled,
    `${JSON.stringify(text)} is not the API's spelling of an address on ${family} networks`,
  )
  return address
}
