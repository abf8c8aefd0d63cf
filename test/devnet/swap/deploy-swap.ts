import {
  type Abi,
  type Address,
  createTestClient,
  createWalletClient,
  encodeDeployData,
  type Hex,
  http,
  publicActions,
} from 'viem'

import permit2Artifact from '../../../contracts/artifacts/TestPermit2.json' with { type: 'json' }
import settlerArtifact from '../../../contracts/artifacts/TestSettler.json' with { type: 'json' }
import registryArtifact from '../../../contracts/artifacts/TestSettlerRegistry.json' with { type: 'json' }
import tokenArtifact from '../../../contracts/artifacts/TestToken.json' with { type: 'json' }
import { createChainClient } from '../../../shared/chain/nodes/client.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Network } from '../../../shared/domain/networks.ts'
import { ACCOUNTS, toSigner } from '../accounts.ts'
import { requireMined } from '../require-mined.ts'

/** Addresses of Permit2 and of 0x's registry of settlers, which are the same on every chain. */
const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const SETTLER_REGISTRY: Address = '0x00000000000004533Fe15556B1E086BB1A72cEae'

/** Address of the settler. The service reads it from the registry contract. */
export const SETTLER: Address = '0x5E771e5000000000000000000000000000000001'

/** Feature id in the registry of settlers for transactions that the taker sends. */
const TAKER_SUBMITTED = 2n

/** Number of whole tokens of each input token that each payer receives. */
const MINTED_TOKENS = 1_000_000n

/**
 * Deploys the contracts for swaps to a running local chain: Permit2, 0x's registry with a settler, and the network's
 * ERC-20 input tokens at their real addresses. Mints input tokens to both payers.
 */
export async function deploySwap(chain: {
  readonly chainId: number
  readonly rpcUrl: string
  readonly network: Network
}): Promise<void> {
  const anvil = createTestClient({ mode: 'anvil', transport: http(chain.rpcUrl) })
  const { chain: description } = createChainClient({ chainId: chain.chainId, rpcUrls: [chain.rpcUrl] })
  const wallet = createWalletClient({
    account: toSigner(ACCOUNTS.deployer),
    chain: description,
    transport: http(chain.rpcUrl),
  }).extend(publicActions)
  const contracts: readonly (readonly [Address, Hex])[] = [
    [PERMIT2, permit2Artifact.deployedBytecode as Hex],
    [SETTLER, settlerArtifact.deployedBytecode as Hex],
    [SETTLER_REGISTRY, registryArtifact.deployedBytecode as Hex],
  ]
  for (const [address, bytecode] of contracts) await anvil.setCode({ address, bytecode })

  const hashes = [
    await wallet.writeContract({
      address: SETTLER_REGISTRY,
      abi: registryArtifact.abi as Abi,
      functionName: 'deploy',
      args: [TAKER_SUBMITTED, SETTLER],
    }),
  ]
  for (const [symbol, token] of Object.entries(REGISTRY[chain.network].swapTokens)) {
    if (token.isNative) continue
    const { address, decimals } = token
    // The constructor returns the runtime code, which contains the decimals.
    const { data } = await wallet.call({
      data: encodeDeployData({
        abi: tokenArtifact.abi as Abi,
        bytecode: tokenArtifact.bytecode as Hex,
        args: [symbol, symbol, decimals],
      }),
    })
    await anvil.setCode({ address, bytecode: data ?? '0x' })
    for (const payer of [ACCOUNTS.payer, ACCOUNTS.payer2]) {
      const args = [payer.address, MINTED_TOKENS * 10n ** BigInt(decimals)]
      const mint = { address, abi: tokenArtifact.abi as Abi, functionName: 'mint', args }
      hashes.push(await wallet.writeContract(mint))
    }
  }
  for (const hash of hashes) await requireMined(wallet, hash)
}
