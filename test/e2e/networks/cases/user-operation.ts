import { expect } from 'chai'
import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, parseUnits, zeroHash } from 'viem'
import { requireData } from '../../../../api/client/client.ts'
import entryPoint from '../../../../contracts/artifacts/TestEntryPoint.json' with { type: 'json' }
import smartAccount from '../../../../contracts/artifacts/TestSmartAccount.json' with { type: 'json' }
import { ENTRY_POINT } from '../../../devnet/entry-point.ts'
import { CONFIRMED, openCharge, until } from '../charges.ts'
import type { NetworkCase } from '../network-case.ts'
import { sentFor } from '../way.ts'

/** The smart account transfers a token in a bundle that another account sends. */
export const userOperation: NetworkCase = {
  name: '4337',
  claim: 'reports the smart account as the sender if a user operation pays',
  isShort: false,
  run: async (stage) => {
    const { id, address } = await openCharge(stage)
    const bundler = stage.nextPayer()
    const [way] = stage.ways
    const { abi, bytecode } = smartAccount as { abi: Abi; bytecode: Hex }
    const account = await bundler.deploy(abi, { bytecode, args: [] })
    const token = { ...way, isCoin: false, decimals: way.tokenDecimals }
    await bundler.send(token, account, parseUnits('50', token.decimals))
    const operation = payingOperation(account, {
      token: way.token,
      data: encodeFunctionData({
        ...{ abi: erc20Abi, functionName: 'transfer', args: [address, sentFor(token, '10')] },
      }),
    })
    const { transactionHash: txHash } = await bundler.call({
      ...{ address: ENTRY_POINT, abi: entryPoint.abi as Abi, functionName: 'handleOps' },
      args: [[operation], bundler.address],
    })
    const call = stage.api.POST('/v1/charges/{id}/check', {
      params: { path: { id } },
      body: { txHash, network: stage.row.network },
    })
    expect(await requireData(call)).to.deep.include({
      ...{ transactionSender: bundler.address, tokenSenders: [account] },
      userOperationSenders: [account],
    })
    expect(await until(stage, id, CONFIRMED)).to.include({ amountReceivedExact: '10', txHash })
  },
}

/** Builds a user operation with which the account calls the token. */
function payingOperation(sender: Address, call: { readonly token: Address; readonly data: Hex }) {
  return {
    ...{ sender, nonce: 0n, initCode: '0x', paymasterAndData: '0x', signature: '0x' },
    ...{ accountGasLimits: zeroHash, preVerificationGas: 0n, gasFees: zeroHash },
    callData: encodeFunctionData({
      ...{ abi: smartAccount.abi as Abi, functionName: 'execute', args: [call.token, 0n, call.data] },
    }),
  }
}
