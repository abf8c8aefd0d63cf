import type { PrivateKeyAccount } from 'viem'
import { deployFactory } from '../../shared/chain/contracts/deploy-factory.ts'
import { type ChainUrls, createChainClient } from '../../shared/chain/nodes/client.ts'
import { deployTronFactory, type TronDeployment } from '../../shared/chain/tron/deploy-tron-factory.ts'
import { createTronNodes } from '../../shared/chain/tron/tron-node.ts'
import type { Address, ChainFamilyName, Hex } from '../../shared/domain/address.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { createEvmRescuer } from './evm-rescuer.ts'
import { createTronRescuer } from './tron-rescuer.ts'

/** The factory's address; `txHash` is `null` if the factory existed before. */
export type DeployedFactory = { readonly factory: Address; readonly txHash: Hex | null }

/**
 * The account that pays for the deployment. For a factory without a fixed address, also an earlier deployment to
 * resume, and the function that receives the signed transaction.
 */
type Deploying = Pick<TronDeployment, 'earlier' | 'onSigned'> & { readonly account: PrivateKeyAccount }

/** Deploys our factory, per chain family. If its address is fixed, an interrupted deployment can simply be repeated. */
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

/** Creates the rescuer that pays out the balance of a split, per chain family. */
export const RESCUERS_BY_FAMILY: Readonly<Record<ChainFamilyName, typeof createEvmRescuer>> = {
  evm: createEvmRescuer,
  tron: createTronRescuer,
}
