// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice An account that accepts native coin or fails to, in a configurable manner, and can call back.
contract Purse {
    enum Manner {
        Takes,
        Refuses,
        BurnsAllGas,
        RevertsWithABomb,
        ReturnsABomb
    }

    uint256 private constant BOMB_BYTES = 500_000;

    Manner public manner;
    address private _target;
    bytes[] private _attacks;
    uint256 private _giftBack;
    uint256 public attempts;
    uint256 public successes;
    bytes4 public lastError;

    function behave(Manner manner_) external {
        manner = manner_;
    }

    /// @notice Configures the calls that this account makes to `target` when it receives native coin in the manner
    /// `Takes`. The first time, it then also sends `giftBack` to `target`.
    function attack(address target, bytes[] memory attacks, uint256 giftBack) external {
        _target = target;
        _attacks = attacks;
        _giftBack = giftBack;
    }

    /// @notice Pays like Solidity's `transfer`: with 2300 gas, reverting if that is insufficient.
    function transfer(address payable to, uint256 amount) external {
        to.transfer(amount);
    }

    receive() external payable {
        if (manner == Manner.Refuses) revert("refused");
        if (manner == Manner.Takes) return _attack();
        bool isBurning = manner == Manner.BurnsAllGas;
        bool isReverting = manner == Manner.RevertsWithABomb;
        assembly ("memory-safe") {
            if isBurning { invalid() }
            if isReverting { revert(0, BOMB_BYTES) }
            return(0, BOMB_BYTES)
        }
    }

    function _attack() private {
        for (uint256 i = 0; i < _attacks.length; i++) {
            attempts++;
            (bool isDone, bytes memory reason) = _target.call(_attacks[i]);
            if (isDone) successes++;
            else lastError = bytes4(reason);
        }
        uint256 gift = _giftBack;
        _giftBack = 0;
        if (gift > 0) payable(_target).transfer(gift);
    }
}
