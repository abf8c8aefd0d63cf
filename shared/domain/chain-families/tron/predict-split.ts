import constants from '../../../../contracts/artifacts/tron-split-constants.json' with { type: 'json' }
import type { Address, Hex } from '../../address.ts'
import { type SplitDeployment, splitInitCodeHash } from '../../split-address.ts'
import { tronCreate2Address } from './contract-address.ts'

const ZERO_SALT: Hex = `0x${'0'.repeat(64)}`

/**
 * Returns the address of a charge's split on TRON, deployed or not.
 *
 * A factory on TRON has a different address on each network, so only the configuration can identify ours. The factory's
 * address determines the implementation and therefore, with terms and salt, the split's address.
 *
 * @throws {Error} for terms that can never be deployed, because money sent there would be lost
 * @see contracts/src/tron/TronPaymentSplitFactory.sol, `predictDeterministicAddress`
 */
export function predictTronSplit({ factory, split, salt }: SplitDeployment): Address {
  const implementation = getTronImplementation(factory)
  return tronCreate2Address({
    ...{ deployer: factory, salt },
    initCodeHash: splitInitCodeHash({ implementation, split }),
  })
}

/** Returns the address of the implementation that the splits of a factory run. */
export function getTronImplementation(factory: Address): Address {
  const initCodeHash = constants.implementationInitCodeHash as Hex
  return tronCreate2Address({ deployer: factory, salt: ZERO_SALT, initCodeHash })
}
