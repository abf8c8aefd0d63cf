import type { PrivateKeyAccount } from 'viem'
import { createChainClient } from '../../shared/chain/client.ts'
import { deployFactory } from '../../shared/chain/deploy-factory.ts'
import { deployTronFactory, type TronDeployment } from '../../shared/chain/tron/deploy-tron-factory.ts'
import { createTronNodes } from '../../shared/chain/tron/tron-node.ts'
import type { Address, AddressFamily, Hex } from '../../shared/domain/address.ts'
import { SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { rescueEvm } from './rescue-evm.ts'
import { rescueTron } from './rescue-tron.ts'
import type { Rescuer } from './rescuer.ts'

/** A chain and its nodes. */
type Place = { readonly chainId: number; readonly rpcUrls: readonly string[] }

/** Where our factory stands now; `txHash` is `null` if it stood there before. */
export type DeployedFactory = { readonly factory: Address; readonly txHash: Hex | null }

/** Who pays, and what is known of a deployment that was begun before. */
type Deploying = Pick<TronDeployment, 'earlier' | 'onSigned'> & { readonly account: PrivateKeyAccount }

/** How our factory is put on a chain of each family; where its place is fixed, nothing of it can be lost. */
export const FACTORY_DEPLOYERS: Readonly<
  Record<AddressFamily, (place: Place, deploying: Deploying) => Promise<DeployedFactory>>
> = {
  evm: async (place, { account }) => ({
    factory: SPLIT_FACTORY,
    txHash: await deployFactory(createChainClient(place), account),
  }),
  tron: (place, { account, ...deploying }) =>
    deployTronFactory(createTronNodes(place), { ...deploying, signer: account }),
}

/** How what a split holds is paid out by an operator, on a chain of each family. */
export const RESCUERS: Readonly<
  Record<AddressFamily, (place: Place, account: PrivateKeyAccount) => Rescuer>
> = {
  evm: rescueEvm,
  tron: rescueTron,
}
