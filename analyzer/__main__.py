"""``python -m analyzer`` is ``etcd-doctor``."""

from analyzer.cli import main

if __name__ == "__main__":
    main()
