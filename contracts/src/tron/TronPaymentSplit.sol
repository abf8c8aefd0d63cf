// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, TOTAL_ALLOCATION, hashSplit } from "../Split.sol";
import { committedSplitHash } from "../SplitProxy.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title TronPaymentSplit
/// @notice What PaymentSplit is, for TRON: the address a charge is paid to, which pays only the recipients it commits to.
/// @dev Terms, events, errors and laws are those of PaymentSplit.sol, which cannot be used there:
/// - USDT's `transfer` returns false when it has paid. So nothing that a token returns is believed: a recipient is paid
///   when his balance rose, and his share is held when it did not.
/// - A call may burn all energy: TRON keeps no sixty-fourth back (java-tron, `Program.getCallEnergy`). So each payout gets
///   a limit of its own, and what holding costs is kept back.
/// What comes here of TRC-10 tokens, nobody can move.
contract TronPaymentSplit is ReentrancyGuardTransient {
    /// @dev Stands for TRX.
    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev What a payout may take at most: seven times what USDT needs for a recipient who never had any (130,285 in
    /// September 2026), which is what the dynamic penalty may come to.
    uint256 private constant PAYOUT_ENERGY = 1_000_000;

    /// @dev What is kept back for holding a share: two fresh words of storage at 20,000, an event, a balance.
    uint256 private constant HOLDING_ENERGY = 100_000;

    /// @notice What is held for a recipient whose payout failed, in the token's atomic units.
    mapping(address token => mapping(address recipient => uint256 amount)) public held;

    /// @notice The sum of `held` over all recipients, in the token's atomic units.
    mapping(address token => uint256 amount) public totalHeld;

    /// @notice The whole distributable amount was distributed.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param distributor who was named for the incentive; zero: nobody, or this split itself
    /// @param amount gross: payouts, held payouts and the distributor's incentive, in atomic units
    event SplitDistributed(address indexed token, address indexed distributor, uint256 amount);

    /// @notice A payout failed; its amount stays here for the recipient.
    /// @param token the TRC-20
    /// @param recipient who could not be paid
    /// @param amount what is held for them since then, in atomic units
    event PayoutHeld(address indexed token, address indexed recipient, uint256 amount);

    /// @notice All that was held for the recipient was paid to them.
    /// @param token the TRC-20
    /// @param recipient who was paid
    /// @param amount what they were paid, in atomic units
    event PayoutReleased(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The given terms are not the ones this address commits to.
    /// @param given the hash of the given terms
    /// @param committed the hash in this split's code
    error SplitMismatch(bytes32 given, bytes32 committed);

    /// @notice Everything that arrived is distributed or held already.
    /// @param balance what is here, in atomic units
    /// @param totalHeld how much of it must stay, in atomic units
    error NothingToDistribute(uint256 balance, uint256 totalHeld);

    /// @notice Not one recipient could be paid: the token is paused, say, or this split is blocked.
    error AllPayoutsFailed();

    /// @notice The distributor cannot receive the token.
    error IncentiveTransferFailed();

    /// @notice Nothing is held for this recipient in this token.
    error NothingHeld();

    /// @notice The recipient still cannot be paid.
    error ReleaseFailed();

    /// @notice A recipient refuses TRX, which is never held: nobody was paid any of it.
    /// @param recipient who refuses
    /// @param amount their share, in atomic units
    error NativePayoutFailed(address recipient, uint256 amount);

    /// @notice A payout failed with less energy than it may take: whoever distributes must give more, for else he
    /// could have any share held.
    /// @param energy what was left for it
    /// @param required what must be
    error PayoutUnderpowered(uint256 energy, uint256 required);

    /// @notice The token took more from this split than it was told to transfer, at the cost of what is held.
    /// @param balance what is left, in atomic units
    /// @param totalHeld what must be left, in atomic units
    error HeldUnbacked(uint256 balance, uint256 totalHeld);

    /// @notice Pays out everything that arrived and is not held.
    /// @dev A payout of a token that fails is held, all others are made. If none succeeds, nothing happened. A payout of
    /// TRX that fails undoes all of them.
    ///
    /// A keeper cannot have a good payout held by giving little energy: one that fails with less than it may take undoes
    /// everything. Nor can a token or a recipient who burns what he is given stop the others: each has a limit.
    /// @param split the terms, exactly as the address was made of them
    /// @param token the TRC-20 to distribute, or 0xEeee…EEeE for TRX
    /// @param distributor who gets the incentive; zero, or this split: nobody, the recipients share it
    function distribute(Split calldata split, address token, address distributor) external nonReentrant {
        // Check that the terms are the ones that were promised.
        bytes32 given = hashSplit(split);
        if (given != splitHash()) revert SplitMismatch(given, splitHash());

        // Check that there is something to distribute.
        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        if (balance <= reserved) revert NothingToDistribute(balance, reserved);
        uint256 amount = balance - reserved;

        // Paid to itself, the incentive would look like another payment, and whoever pays could have it counted twice.
        if (distributor == address(this)) distributor = address(0);

        emit SplitDistributed({ token: token, distributor: distributor, amount: amount });

        uint256 pot = amount - _payIncentive(split, token, distributor, amount);
        _payRecipients(split, token, pot);
        _requireHeldBacked(token);
    }

    /// @notice Pays a recipient all that is held for them; anyone may call it.
    /// @param token the TRC-20; nothing is ever held of TRX
    /// @param recipient who is paid
    /// @return amount what was paid, in atomic units
    function release(address token, address recipient) external nonReentrant returns (uint256 amount) {
        // Check that something is held.
        amount = held[token][recipient];
        if (amount == 0) revert NothingHeld();

        held[token][recipient] = 0;
        totalHeld[token] -= amount;
        emit PayoutReleased({ token: token, recipient: recipient, amount: amount });

        if (!_tryPay(token, recipient, amount)) revert ReleaseFailed();
        _requireHeldBacked(token);
    }

    /// @notice What `distribute` would distribute now: the balance without what is held.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @return the amount, in atomic units
    function distributable(address token) external view returns (uint256) {
        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        return balance > reserved ? balance - reserved : 0;
    }

    /// @notice The hash of the terms this address commits to. Meaningful behind a split's proxy only.
    /// @return keccak256 of the terms' ABI encoding
    function splitHash() public view returns (bytes32) {
        return committedSplitHash();
    }

    /// @dev Pays the distributor their part of `amount`, rounded down.
    /// @param split the terms
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param distributor who gets it; zero: nobody
    /// @param amount all that is distributed, in atomic units
    /// @return incentive what they were paid, in atomic units
    function _payIncentive(Split calldata split, address token, address distributor, uint256 amount)
        private
        returns (uint256 incentive)
    {
        if (distributor == address(0)) return 0;
        incentive = (amount * split.distributionIncentive) / TOTAL_ALLOCATION;
        if (incentive == 0) return 0;
        if (!_tryPay(token, distributor, incentive)) revert IncentiveTransferFailed();
    }

    /// @dev Pays or holds `pot`: everyone's part rounded down, and the rest, never zero, to the first.
    /// @param split the terms
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param pot what is left after the incentive, in atomic units
    function _payRecipients(Split calldata split, address token, uint256 pot) private {
        uint256 rest = pot;
        bool isAnyonePaid = false;
        for (uint256 i = 1; i < split.recipients.length; i++) {
            uint256 share = (pot * split.allocations[i]) / TOTAL_ALLOCATION;
            if (share == 0) continue;
            rest -= share;
            if (_payOrHold(token, split.recipients[i], share)) isAnyonePaid = true;
        }
        if (_payOrHold(token, split.recipients[0], rest)) isAnyonePaid = true;
        if (!isAnyonePaid) revert AllPayoutsFailed();
    }

    /// @dev Pays a share. What cannot be paid of a token is held; of TRX, it undoes the distribution.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param recipient who is paid
    /// @param amount their share, in atomic units
    /// @return isPaid whether they were paid; if not, the amount is held for them
    function _payOrHold(address token, address recipient, uint256 amount) private returns (bool isPaid) {
        isPaid = _tryPay(token, recipient, amount);
        if (isPaid) return true;
        if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);

        held[token][recipient] += amount;
        totalHeld[token] += amount;
        emit PayoutHeld({ token: token, recipient: recipient, amount: amount });
    }

    /// @dev Sends with a limit, and copies nothing of what the other side returns. Of a token only a balance that rose is a
    /// payment: USDT returns false when it has paid.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param to who is paid
    /// @param amount what they are paid, in atomic units
    /// @return isPaid whether they were
    function _tryPay(address token, address to, uint256 amount) private returns (bool isPaid) {
        uint256 energy = _payoutEnergy();
        if (token == NATIVE_COIN) {
            isPaid = _call({ target: to, energy: energy, value: amount, data: "" });
        } else {
            uint256 before = IERC20(token).balanceOf(to);
            _call({
                target: token, energy: energy, value: 0, data: abi.encodeCall(IERC20.transfer, (to, amount))
            });
            isPaid = IERC20(token).balanceOf(to) > before;
        }
        // Check that it was not for want of energy.
        if (!isPaid && energy < PAYOUT_ENERGY) revert PayoutUnderpowered(energy, PAYOUT_ENERGY);
    }

    /// @dev What the next payout may take.
    /// @return the limit; zero if what is left would not do for holding
    function _payoutEnergy() private view returns (uint256) {
        uint256 left = gasleft();
        if (left <= HOLDING_ENERGY) return 0;
        uint256 energy = left - HOLDING_ENERGY;
        return energy < PAYOUT_ENERGY ? energy : PAYOUT_ENERGY;
    }

    /// @dev A call of which nothing comes back but whether it failed. Solidity's own would copy what is returned, as much
    /// as the called likes.
    /// @param target who is called
    /// @param energy what it may take
    /// @param value TRX to send, in sun
    /// @param data what it is called with
    /// @return isSuccess whether it did not fail
    function _call(address target, uint256 energy, uint256 value, bytes memory data)
        private
        returns (bool isSuccess)
    {
        assembly ("memory-safe") {
            isSuccess := call(energy, target, value, add(data, 0x20), mload(data), 0, 0)
        }
    }

    /// @dev Measures rather than trusts: a token that debits more than it is told, or moves money and reports
    /// failure, may not spend what belongs to a held recipient.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX, of which nothing is held
    function _requireHeldBacked(address token) private view {
        uint256 reserved = totalHeld[token];
        if (reserved == 0) return;
        uint256 balance = IERC20(token).balanceOf(address(this));
        if (balance < reserved) revert HeldUnbacked({ balance: balance, totalHeld: reserved });
    }

    /// @dev Reads what is here, and how much of it is held.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX, of which nothing is held
    /// @return balance what is here, in atomic units
    /// @return reserved how much of it is held, in atomic units
    function _balanceAndHeld(address token) private view returns (uint256 balance, uint256 reserved) {
        if (token == NATIVE_COIN) return (address(this).balance, 0);
        return (IERC20(token).balanceOf(address(this)), totalHeld[token]);
    }
}
