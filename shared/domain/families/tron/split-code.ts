import constants from '../../../../contracts/artifacts/tron-split-constants.json' with { type: 'json' }
import type { Address, Hex } from '../../address.ts'
import { keccakOfHex } from '../../create2.ts'
import type { SplitCode } from '../family.ts'
import { tronImplementationOf } from './predict-split.ts'

/**
 * Answers what must stand on TRON where this address is to be our factory.
 *
 * The factory's code holds where its splits' code is, which follows from its own address: the hash is another for each.
 */
export function tronSplitCode(factory: Address): SplitCode {
  const implementation = tronImplementationOf(factory)
  return {
    factoryCodeHash: keccakOfHex(factoryCode(implementation)),
    implementation,
    implementationCodeHash: constants.implementationRuntimeCodeHash as Hex,
  }
}

/** Puts the implementation's address into the words that the compiler has left for it. */
function factoryCode(implementation: Address): Hex {
  const word = implementation.slice(2).padStart(64, '0')
  const code = constants.implementationPlaces.reduce(
    (text, place) => text.slice(0, 2 * place) + word + text.slice(2 * place + 64),
    constants.factoryRuntimeCode.slice(2),
  )
  return `0x${code}`
}
