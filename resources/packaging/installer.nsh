; Part of the Windows uninstaller. An upgrade runs it, too, and a silent one cannot ask: both keep the data.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    MessageBox MB_YESNO|MB_ICONQUESTION "Keep the data of this hub: its hubs, rules and messages?$\r$\n$\r$\nIt is in $LOCALAPPDATA\axon-hub. The key of the hub stays in the Credential Manager." /SD IDYES IDYES keepData
      SetShellVarContext current
      RMDir /r "$LOCALAPPDATA\axon-hub"
    keepData:
    ; What the app put there by itself: its start at login, and that it opens links.
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegKey HKCU "Software\Classes\axon"
  ${endIf}
!macroend
