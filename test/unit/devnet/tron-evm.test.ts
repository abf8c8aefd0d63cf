import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { expect } from 'chai'
import { concatHex, type Hex, keccak256, numberToHex, pad, slice } from 'viem'
import { createChainState } from '../../devnet/evm-node/chain-state.ts'
import { runContract } from '../../devnet/tron/run-tron.ts'
import { TronEvm } from '../../devnet/tron/tron-evm.ts'

const ROOT: Hex = `0x${'7d'.repeat(32)}`
const OWNER: Hex = `0x${'0e'.repeat(20)}`
const CONTRACT: Hex = `0x${'c0'.repeat(20)}`

/** Runtime code that creates an empty contract, calls SHA-256 and an account, creates another, and returns both. */
const CODE = concatHex([
  ...(['0x600060006000f0600052', '0x600060006000600060006002', '0x5af150'] as const),
  ...(['0x600060006000600060006100ee', '0x5af150', '0x600060006000f0602052', '0x60406000f3'] as const),
])

describe('the EVM of the local TRON', () => {
  it('derives the address of a CREATE from the number of earlier calls and creations, as java-tron does', async () => {
    const common = createCustomCommon({ chainId: 1 }, Mainnet, { hardfork: Hardfork.Cancun })
    const state = await createChainState({
      ...{ common, genesis: [{ address: CONTRACT, code: CODE }] },
      createEvm: (manager) => new TronEvm(common, manager),
    })
    const evm = await state.evmAt(await state.root())
    evm.rootId = ROOT
    const run = await runContract(
      { type: 'TriggerSmartContract', owner: OWNER, to: CONTRACT, data: '0x', callValueSun: 0n },
      { evm, block: { number: 1, timestamp: 1 }, energyLimit: 1_000_000n },
    )
    // Before the second creation, the transaction has started a creation and a call, and called a precompile.
    expect(run).to.include({ result: 'SUCCESS', returned: concatHex([wordAt(0), wordAt(2)]) })
  })
})

/** Returns the address that java-tron generates with a nonce, as a word. */
function wordAt(nonce: number): Hex {
  return pad(slice(keccak256(concatHex([ROOT, numberToHex(nonce, { size: 8 })])), 12))
}
