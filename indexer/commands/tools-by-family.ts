import type { PrivateKeyAccount } from 'viem'
import { deployFactory } from '../../shared/chain/contracts/deploy-factory.ts'
import { type ChainUrls, createChainClient } from '../../shared/chain/nodes/client.ts'
import { deployTronFactory, type TronDeployment } from '../../shared/chain/tron/deploy-tron-factory.ts'
import { createTronNodes } from '../../shared/chain/tron/tron-node.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { createEvmRescuer } from './evm-rescuer.ts'
import { createTronRescuer } from './tron-rescuer.ts'

/** `txHash` is `null` if the factory already existed. */
export type DeployedFactory = { readonly factory: Address; readonly txHash: Hex | null }

/**
 * The account that pays for the deployment. Only a factory without a fixed address uses the earlier deployment to
 * resume, and the callback for the signed transaction.
 */
type Deploying = Pick<TronDeployment, 'earlier' | 'onSigned'> & { readonly account: PrivateKeyAccount }

/** Deploys our factory, per chain family. An interrupted deployment to a fixed address can be repeated. */
export const FACTORY_DEPLOYERS_BY_FAMILY: Readonly<
  Record<ChainFamilyName, (place: ChainUrls, deploying: Deploying) => Promise<DeployedFactory>>
> = {
  evm: async (place, { account }) => ({
    factory: SPLIT_FACTORY,
    txHash: await deployFactory(createChainClient(place), account),
  }),
  tron: (place, { account, ...deploying }) =>
    deployTronFactory(createTronNodes(place), { ...deploying, signer: account }),
}

export const RESCUERS_BY_FAMILY: Readonly<Record<ChainFamilyName, typeof createEvmRescuer>> = {
  evm: createEvmRescuer,
  tron: createTronRescuer,
}
